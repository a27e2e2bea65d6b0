"""Documents: the same content twice, and no text that can break out of its place."""

import base64
import re
from html import escape
from html.parser import HTMLParser

import pytest

from upperhand.pages.document import (
    Bullets,
    Code,
    Document,
    Entry,
    Heading,
    Image,
    Notice,
    Paragraph,
    Table,
)
from upperhand.pages.html import to_html
from upperhand.pages.markdown import to_markdown

HOSTILE = '<script>alert("x")</script> & | `a` *b* _c_ [d](javascript:e) \' "f" <img src=x>'
PNG = b"\x89PNG not really"
VOID = {"meta", "img"}


def page_of(text):
    return Document(
        text,
        (
            Heading(text),
            Paragraph(text),
            Notice(text),
            Code(text),
            Bullets(((text, text), ("", text))),
            Table((text, text), ((text, text),)),
            Image(text, PNG, text, text),
            Entry(text, "bad", text, ((text, text),), text),
        ),
    )


class Reader(HTMLParser):
    """Collects tags, attributes and text, and checks that tags are closed in order."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.texts = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


def test_html_escapes_hostile_text():
    page = read(to_html(page_of(HOSTILE)))

    assert "script" not in page.tags
    assert page.tags.count("img") == 1  # the figure
    names = {name for name, _ in page.attributes}
    assert names <= {"lang", "charset", "name", "content", "class", "src", "alt"}
    assert page.texts.count(HOSTILE) >= 12  # it is all there, as text
    assert ("alt", HOSTILE) in page.attributes


def test_html_needs_nothing_from_elsewhere():
    html = to_html(page_of("plain"))

    assert not re.search(r"https?:|//|<link|@import|url\(", html.replace("<!doctype", ""))
    sources = [value for name, value in read(html).attributes if name == "src"]
    assert [base64.b64decode(source.split(",")[1]) for source in sources] == [PNG]
    assert "prefers-color-scheme: dark" in html
    assert "width=device-width" in html


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Σ_j Δ_j² / kl(F_j(u*), τ)", "Σ<sub>j</sub> Δ<sub>j</sub>² / kl(F<sub>j</sub>(u*), τ)"),
        ("E[T_j^UCB(n)]", "E[T<sub>j</sub><sup>UCB</sup>(n)]"),
        ("Σ_{j≠A}, sup_κ & z_{<1}", "Σ<sub>j≠A</sub>, sup<sub>κ</sub> &amp; z<sub>&lt;1</sub>"),
        ("level_max, a_b_c, _c_, x86_64", "level_max, a_b_c, _c_, x86_64"),
    ],
)
def test_html_sets_indices_low_and_high(text, written):
    document = Document("t", (Paragraph(text), Image("a", PNG, text, text), Code(text)))
    html = to_html(document)

    assert f"<p>{written}</p>" in html
    assert f"<figcaption>{written}</figcaption>" in html
    assert html.count(escape(text)) >= 2  # as it is where there is no markup: alt and code


def test_a_phone_shows_that_a_figure_goes_on():
    html = to_html(page_of("plain"))

    assert "min-width: 34rem" not in html
    narrow = html[html.index("@media (max-width: 600px)") :].splitlines()[0]
    assert ".hint { display: block; }" in narrow
    assert html.count('<span class="hint">') == 1  # the figure's: the table fits


@pytest.mark.parametrize(
    ("widths", "left", "hint"),
    [((20, 15), 1, False), ((20, 20), 1, True), ((5,) * 6, 1, True), ((20, 80), 2, False)],
)
def test_a_phone_shows_that_a_table_goes_on(widths, left, hint):
    header = tuple("x" * width for width in widths)
    html = to_html(Document("t", (Table(header, (header,), left),)))

    before = '<div class="scroll"><span class="hint">⟷ Move the table sideways to see all of it.'
    assert (before in html) is hint
    assert html.count('<span class="hint">') == hint


def test_a_phone_shows_a_table_of_words_as_lines_of_text():
    rows = (("1", "Lemma 1", "holds", "A long statement."),)
    html = to_html(Document("t", (Table(("no.", "where", "verdict", "said"), rows, left=4),)))

    assert html.count('<table class="words">') == 1
    narrow = html[html.index("@media (max-width: 600px)") :].split("@media")[1]
    assert ".words td.left:last-child { display: block;" in narrow
    assert '<table class="words">' not in to_html(Document("t", (Table(("a", "b"), (), 1),)))


def test_markdown_escapes_hostile_text():
    text = to_markdown(page_of(HOSTILE))

    prose = [line for line in text.splitlines() if not line.startswith("    ")]
    for line in prose:
        assert not re.search(r"(?<!\\)<", line)
        assert not re.search(r"(?<!\\)`", line)
        assert "[d](" not in line


def test_markdown_tables_are_well_formed():
    table = Table(("a|b", "c"), (("1", "x|y"), ("\n2\n", "\\|")))
    lines = to_markdown(Document("t", (table,))).splitlines()[2:]

    assert lines[1] == "| --- | ---: |"
    for line in lines:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1. first", "1\\. first"),
        ("- item", "\\- item"),
        ("+ item", "\\+ item"),
        ("# heading", "\\# heading"),
        ("1.5 ± 0.1", "1.5 ± 0.1"),
        ("two\n\nlines", "two lines"),
    ],
)
def test_markdown_paragraphs_stay_paragraphs(text, written):
    assert to_markdown(Document("t", (Paragraph(text),))) == f"# t\n\n{written}\n"


def test_markdown_links_figures_by_name():
    image = Image("figure-1-metrics.png", PNG, "Figure 1", "A caption.")

    assert "![Figure 1](figure-1-metrics.png)\n\nA caption." in to_markdown(Document("t", (image,)))


def test_both_say_the_same():
    words = ["claims", "verdict", "numbers"]
    document = Document(
        "Report",
        (
            Heading(words[0]),
            Entry("Holds", "good", words[1], (("difference", "4.0 ± 0.1"),), words[2]),
            Table(("policy", "regret"), (("UCB1", "165.7 ± 4.0"),)),
        ),
    )
    for text in (to_markdown(document), to_html(document)):
        for word in [*words, "Report", "Holds", "difference", "4.0 ± 0.1", "UCB1", "165.7 ± 4.0"]:
            assert word in text


def test_a_ragged_table_is_refused():
    with pytest.raises(ValueError, match="2 cells"):
        Table(("a", "b"), (("1",),))

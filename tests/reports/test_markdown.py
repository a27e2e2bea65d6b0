"""Reports in three forms: the same content, and no text that can break out of its place."""

import base64
import os
import re
import sys
from html.parser import HTMLParser

import pytest

import upperhand as uh
from upperhand.reports.comparison import comparison_report
from upperhand.reports.markdown import (
    READABLE,
    Code,
    Figure,
    Heading,
    Note,
    Paragraph,
    Report,
    Table,
    block_text,
    terminal_width,
    to_html,
    to_markdown,
    to_text,
    with_tables,
)
from upperhand.reports.theory import theory_report
from upperhand.text import cell_width
from upperhand.theory.card import theory_card

from ..comparison.samples import small

HOSTILE = '<script>alert("x")</script> & | `a` *b* _c_ [d](javascript:e) \' "f" <img src=x>'
PNG = b"\x89PNG not really"
VOID = {"meta", "img"}


def report_of(text):
    return Report(
        text,
        (
            Heading(text),
            Paragraph(text),
            Note(text),
            Code(text),
            Table((text, text), ((text, text),)),
            Figure(text, PNG, text, text),
        ),
    )


class Reader(HTMLParser):
    """Collects tags, attributes and text, and checks that tags are closed in order."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.text = [], [], [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


def test_html_escapes_hostile_text():
    page = read(to_html(report_of(HOSTILE)))

    assert not {"script", "a"} & set(page.tags)
    assert page.tags.count("img") == 1  # the figure
    names = {name for name, _ in page.attributes}
    assert names <= {"lang", "charset", "name", "content", "style", "src", "alt"}
    assert page.text.count(HOSTILE) == 11  # it is all there, as text: twice the title
    assert ("alt", HOSTILE) in page.attributes


def test_html_needs_no_other_file():
    html = to_html(report_of("plain"))

    assert not re.search(r"https?:|//|<link|@import|url\(", html.replace("<!doctype", ""))
    sources = [value for name, value in read(html).attributes if name == "src"]
    assert [base64.b64decode(source.split(",")[1]) for source in sources] == [PNG]
    assert "prefers-color-scheme: dark" in html
    assert "width=device-width" in html


def test_markdown_escapes_hostile_text():
    text = to_markdown(report_of(HOSTILE))

    for line in (line for line in text.splitlines() if not line.startswith("    ")):
        assert not re.search(r"(?<!\\)[<`]", line)
        assert "[d](" not in line


def test_markdown_tables_are_well_formed():
    table = Table(("a|b", "c"), (("1", "x|y"), ("\n2\n", "\\|")))
    lines = to_markdown(Report("t", (table,))).splitlines()[2:]

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
    report = Report("t", (Paragraph(text),))

    assert to_markdown(report) == f"# t\n\n{written}\n"
    assert f"<p>{' '.join(text.split())}</p>" in to_html(report)


def test_text_has_every_block():
    blocks = (
        Heading("the head"),
        Note("a warning"),
        Code("a command"),
        Figure("name.png", b"", "alternative", "a caption"),
        Paragraph("a claim"),
        Table(("a", "b"), (("1", "2"),)),
    )
    assert to_text(Report("Title", blocks)).splitlines() == [
        *("", "Title", "", "the head", "────────", "a warning", "", "    a command"),
        *("", "alternative: name.png", "", "a claim", "", "a  b", "1  2"),
    ]


WIDE = Table(
    ("policy", *"abcdefgh"), (("UCB1", *["0.1732 ± 0.0040"] * 8), ("上信頼限界", *"12345678"))
)


def test_in_a_pipe_a_table_is_never_cut():
    lines = block_text(WIDE).splitlines()

    assert len(lines) == 3
    assert {cell_width(line) for line in lines} == {10 + 8 * (2 + 15)}
    assert terminal_width() is None


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_on_a_terminal_it_is_split_where_it_is_too_wide(monkeypatch, columns):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    size = os.terminal_size((columns, 24))
    monkeypatch.setattr("upperhand.reports.markdown.get_terminal_size", lambda: size)
    text = block_text(WIDE)

    assert max(map(cell_width, text.splitlines())) <= columns
    assert re.findall(r"\b[a-h]\b", text) == [*"abcdefgh"]
    assert text.count("policy") == text.count("UCB1") == text.count("\n\n") + 1
    prose = block_text(Paragraph("word " * 100)).splitlines()
    assert max(map(len, prose)) <= min(columns, READABLE)


def test_a_closed_output_is_no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert block_text(Table(("a", "b"), (("1", "2"),))) == "a  b\n1  2"


def test_all_forms_have_the_same_numbers():
    arms = [uh.Normal(0.1, 0.05), uh.Normal(0, 0.15)]
    reports = (
        theory_report(theory_card(arms, uh.ACPUCB1())),
        comparison_report(small(policies=[uh.UCB1()]), "upperhand compare"),
    )
    for report in reports:
        numbers = set(re.findall(r"\d+\.\d+", to_text(report)))
        assert len(numbers) > 3
        for other in (to_markdown(report), to_html(report)):
            assert numbers <= set(re.findall(r"\d+\.\d+", other))


def test_a_ragged_table_is_refused():
    with pytest.raises(ValueError, match="2 cells"):
        Table(("a", "b"), (("1",),))


def test_tables_of_a_page_are_replaced_in_their_places():
    places = "<!-- a -->\n\n| old |\n\n<!-- end -->\n\nMore.\n\n<!-- b -->\n\nold\n\n<!-- end -->"
    page = f"By hand.\n\n{places}\n"
    new = with_tables(page, {"b": Table(("x",), (("\\1",),))})

    assert new == page.replace("\n\nold\n\n", "\n\n| x |\n| --- |\n| \\\\1 |\n\n")
    with pytest.raises(ValueError, match="no place for the table 'c'"):
        with_tables(page, {"c": Table(("x",), ())})

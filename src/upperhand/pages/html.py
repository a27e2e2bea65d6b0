"""Documents as one HTML file: no scripts, nothing from elsewhere, readable anywhere."""

import re
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import assert_never

from . import document as doc

# x_j, Δ_{j}, T_j^UCB: an index of a letter or of sup. Names such as level_max are left as they are.
_PART = r"(\{[^{}]+\}|[0-9A-Za-zΑ-ω]+(?![0-9A-Za-zΑ-ω_]))"
INDEX = re.compile(rf"(?<!\w)(sup|[^\W\d_])(?:_{_PART})?(?:\^{_PART})?")
PHONE, PADDING = 44, 3  # of a table, in characters: what fits on a phone; around a cell's text

STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --soft: #5c5c66; --paper: #ffffff;
  --line: #dcdce2; --wash: #f5f5f8; --good: #00734f; --doubtful: #8a5a00; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8ec; --soft: #a6a6b2; --paper: #17171a;
  --line: #3a3a42; --wash: #222227; --good: #4fc79a; --doubtful: #e8b04c; --bad: #ff8a80; } }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem 4rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
h3 { font-size: 1rem; margin-top: 1.75rem; }
.notice { border: 2px solid var(--bad); border-radius: 6px; padding: .75rem 1rem;
  font-weight: 600; }
.scroll { overflow-x: auto; scrollbar-width: thin; }
.hint { display: none; color: var(--soft); font-size: .85rem; position: sticky; left: 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: top; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; } .left { text-align: left; }
.words td { white-space: normal; }
td.left:last-child { white-space: normal; min-width: 14rem; }
figure { margin: 1.5rem 0; }
img { display: block; width: 100%; height: auto; }
@media (max-width: 600px) { img { width: 34rem; } .hint { display: block; }
  .words thead { display: none; } .words tr { display: block; padding: .5rem 0;
    border-bottom: 1px solid var(--line); }
  .words td { display: inline-block; padding: 0 .7rem 0 0; border: 0; }
  .words td:nth-last-child(2) { font-weight: 600; }
  .words td.left:last-child { display: block; min-width: 0; } }
@media (prefers-color-scheme: dark) { img { filter: invert(.91) hue-rotate(180deg); } }
figcaption { color: var(--soft); font-size: .9rem; margin-top: .4rem; }
pre { background: var(--wash); border-radius: 6px; padding: .75rem 1rem; overflow-x: auto; }
section { border-left: 4px solid var(--line); padding: .1rem 0 .1rem .9rem; margin: 1.1rem 0; }
section p { margin: 0 0 .35rem; } .good .mark { color: var(--good); }
.doubtful .mark { color: var(--doubtful); } .bad .mark { color: var(--bad); }
.good { border-color: var(--good); } .doubtful { border-color: var(--doubtful); }
.bad { border-color: var(--bad); }
dl { display: grid; grid-template-columns: fit-content(50%) 1fr; gap: .1rem 1rem; margin: .3rem 0;
  font-size: .9rem; font-variant-numeric: tabular-nums; } dd { margin: 0; }
dt, .remark { color: var(--soft); } .remark { font-size: .85rem; } li { margin-bottom: .4rem; }
sub, sup { font-size: .75em; line-height: 0; }
"""


def to_html(document: doc.Document) -> str:
    """Return the document as one self-contained page, figures included."""
    body = "\n".join(map(_block, document.blocks))
    title = escape(document.title)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<h1>{_text(document.title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def _block(block: doc.Block) -> str:
    match block:
        case doc.Heading(text, level):
            return f"<h{level:d}>{_text(text)}</h{level:d}>"
        case doc.Paragraph(text):
            return f"<p>{_text(text)}</p>"
        case doc.Notice(text):
            return f'<p class="notice">{_text(text)}</p>'
        case doc.Code(text):
            return f"<pre><code>{escape(text)}</code></pre>"
        case doc.Bullets(items):
            return f"<ul>{''.join(map(_bullet, items))}</ul>"
        case doc.Table(header, rows, left):
            return _table(header, rows, left)
        case doc.Image(_, png, alt, caption):
            return _image(png, alt, caption)
        case doc.Entry():
            return _entry(block)
        case _:
            assert_never(block)


def _bullet(item: tuple[str, str]) -> str:
    head, rest = map(_text, item)
    return f"<li><strong>{head}</strong> {rest}</li>" if head else f"<li>{rest}</li>"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    lines = "".join(_row(row, "td", left) for row in rows)
    head = _row(header, "th", left)
    stacked = left == len(header)  # words only: a narrow screen shows each row as lines of text
    opening = '<table class="words">' if stacked else f"{_table_hint([header, *rows])}<table>"
    table = f"{opening}<thead>{head}</thead><tbody>\n{lines}</tbody></table>"
    return f'<div class="scroll">{table}</div>'


def _table_hint(rows: Sequence[Sequence[str]]) -> str:
    """Return the hint for a table that a phone cannot show whole, else nothing."""
    widths = (max(map(len, column)) + PADDING for column in zip(*rows, strict=True))
    return _hint("table") if sum(widths) > PHONE else ""


def _hint(what: str) -> str:
    return f'<span class="hint">⟷ Move the {what} sideways to see all of it.</span>'


def _row(cells: Sequence[str], tag: str, left: int) -> str:
    opening = [f'<{tag} class="left">'] * left + [f"<{tag}>"] * (len(cells) - left)
    pairs = zip(opening, map(_text, cells), strict=True)
    return f"<tr>{''.join(f'{start}{cell}</{tag}>' for start, cell in pairs)}</tr>\n"


def _image(png: bytes, alt: str, caption: str) -> str:
    source = f"data:image/png;base64,{b64encode(png).decode()}"
    image = f'<img src="{source}" alt="{escape(alt)}">{_hint("figure")}'
    image = f'<div class="scroll">{image}</div>'
    return f"<figure>{image}<figcaption>{_text(caption)}</figcaption></figure>"


def _entry(entry: doc.Entry) -> str:
    title = f'<strong class="mark">{_text(entry.mark)}.</strong> {_text(entry.title)}'
    numbers = "".join(f"<dt>{_text(k)}</dt><dd>{_text(v)}</dd>" for k, v in entry.numbers)
    remark = f'<p class="remark">{_text(entry.remark)}</p>'
    return f'<section class="{entry.tone}"><p>{title}</p><dl>{numbers}</dl>{remark}</section>'


def _text(text: str) -> str:
    """Escape the text, and set the indices of formulas low or high."""
    return INDEX.sub(_index, escape(text))


def _index(found: re.Match[str]) -> str:
    base, low, high = found.groups(default="")
    marks = (("sub", low), ("sup", high))
    return base + "".join(f"<{tag}>{part.strip('{}')}</{tag}>" for tag, part in marks if part)

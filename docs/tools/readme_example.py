"""Print the Python examples of README.md as one program; `make dist` runs it from the wheel."""

import doctest
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"

for example in doctest.DocTestParser().get_examples(README.read_text(encoding="utf-8")):
    print(example.source, end="")

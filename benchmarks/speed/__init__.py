"""What `make bench` measures: rows, peers, floors, and the page made of them."""

import os

os.environ.setdefault("UPPERHAND_COMPILE", "1")  # short runs too

"""What `make bench` measures: rows, peers, floors, and the page made of them."""

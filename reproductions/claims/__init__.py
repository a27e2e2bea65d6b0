"""The claims of the paper: each one checked by code, one chapter of the paper in each file."""

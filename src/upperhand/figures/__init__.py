"""Everything that Matplotlib draws."""

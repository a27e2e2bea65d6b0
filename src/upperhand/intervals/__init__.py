"""Intervals over a stream of numbers, with a guarantee each."""

"""Policies compared on instances under objectives, and calibrators on one series."""

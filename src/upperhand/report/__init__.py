"""Figures, tables and documents, for any simulation."""

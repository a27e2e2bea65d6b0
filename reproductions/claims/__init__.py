"""The paper's theory, statement by statement: one chapter, one file, its claims judged by code."""

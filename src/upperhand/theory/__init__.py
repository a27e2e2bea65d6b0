"""The paper's statements as functions: one statement, one function, its number in the docstring."""

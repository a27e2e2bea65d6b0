"""What commands print and write: tables, figures and notes, as text, Markdown or HTML."""

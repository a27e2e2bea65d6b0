"""Documents as data, rendered as text, Markdown or HTML; and what comparisons and cards say."""

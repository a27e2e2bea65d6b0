"""What the theory says of an instance, in plain numbers: the card of `upperhand theory`."""

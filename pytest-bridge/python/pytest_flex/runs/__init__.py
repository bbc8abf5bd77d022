"""The runs of one test within pytest's one call of it."""

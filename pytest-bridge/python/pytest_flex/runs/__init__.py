"""Runs of one test within pytest's one call of it: fixtures, seeds, processes."""

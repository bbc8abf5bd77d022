"""Existing assertions: found in the source, woven into it, and recorded run by run."""

"""Existing assertions: found in the source, woven into it, and told apart run by run."""

"""One pytest session: which tests flex runs, in what mode, and what is said at the end."""

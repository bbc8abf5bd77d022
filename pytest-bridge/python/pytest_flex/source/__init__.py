"""Source files as flex reads them: statements, calls, and the sites in them."""

"""Seeds that the source of a test states: replaced while runs are made, and written down."""

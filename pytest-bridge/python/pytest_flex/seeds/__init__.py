"""Seeds: generators that follow a run, and the seeds that the source of a test states."""

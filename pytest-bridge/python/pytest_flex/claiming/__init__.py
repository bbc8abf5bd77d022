"""Claims about all runs together, such as a mean: what they are called with becomes numbers; the engine decides."""

"""Which functions a test executes, told by the interpreter: `sys.monitoring`, or a profile function before that."""

"""What one pytest session shares: options, seed, files, and what other processes are asked to do."""

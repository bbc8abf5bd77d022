"""What is done with tests, by mode: enforce, calibrate, record for another process, detect."""

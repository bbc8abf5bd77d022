"""What is done with one test, by mode: enforce, calibrate, record for another process, detect."""

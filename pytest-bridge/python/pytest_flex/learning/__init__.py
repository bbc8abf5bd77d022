"""`learned()`: what stands for a learned number, where it stands, and what it is compared with."""

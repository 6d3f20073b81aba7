"""Studies of this package: one file each, which computes one table of the documentation."""

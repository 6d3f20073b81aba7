"""What analyses found, as data without words."""

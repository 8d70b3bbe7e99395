"""Units of the course and their contract: what a unit folder holds, read without torch or numpy."""

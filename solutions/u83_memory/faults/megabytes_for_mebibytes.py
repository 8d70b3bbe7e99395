"""Takes MiB for MB.

check = "8.3.a/powers_of_1000_and_of_1024"
stage = "numpy"
says = "This is what one table of units for both spellings gives. MB is 10^6 bytes, MiB is 2^20, and at GiB the difference is 7 %."
also = ["8.3.a/every_digit_counts", "8.3.j/largest_term_first_and_units"]
"""

UNITS = {unit: 1000 ** "BKMGT".index(unit[0].upper()) for unit in UNITS}

"""Takes the order of the program for an order of streams.

check = "8.2.b/a_buffer_that_is_used_again"
stage = "numpy"
says = "A buffer was written again while the batch in it was in use, and no race was reported. That an op comes first in the program says nothing about two streams."
also = [
  "8.2.b/buffers_of_the_host",
  "8.2.b/an_order_by_way_of_others",
  "8.2.b/random_programs_and_all_their_races",
  "8.2.b/races_of_no_program",
]
"""

_whole_races = races


def races(ops):
    _whole_races(ops)
    return []

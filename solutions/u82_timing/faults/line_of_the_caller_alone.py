"""Takes the line of the frame that torch was entered from last.

check = "8.2.j/syncs_come_with_their_lines"
stage = "torch"
says = "A line is that of torch's own file. Some calls pass through torch's Python first: go on to the nearest frame outside its folder."
also = [
  "8.2.j/syncs_in_helpers_and_in_libraries",
  "8.2.j/torchs_own_folder_is_one_folder",
]
"""


def _own_line(frame):
    return frame.f_lineno

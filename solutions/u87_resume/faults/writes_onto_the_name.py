"""Opens the final name for writing.

check = "8.7.e/a_kill_at_each_call_leaves_old_or_new"
stage = "numpy"
says = "The name led to an empty file as soon as it was opened, and to half of one until it was closed."
also = [
  "8.7.e/a_kill_at_any_byte_leaves_the_old",
  "8.7.e/a_power_loss_leaves_old_or_new",
  "8.7.e/a_full_disk_leaves_the_old",
  "8.7.e/the_new_content_is_safe_on_return",
  "8.7.e/bad_places_and_kinds_are_refused",
]
source = "Lightning-AI/pytorch-lightning#688"
"""


def atomic_write(path, data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError("not bytes")
    path = Path(path)
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)

"""Refuses tensors that were ever edited.

check = "8.1.g/edits_in_place_are_refused"
stage = "torch"
says = "An edit before the save was refused. What counts is whether the version has changed since; it need not be 0."
also = [
  "8.1.g/nothing_is_kept_alive",
  "8.1.l/closed_book_counts",
  "8.1.l/closed_book_sentence",
]
"""

_sound_saved_report = saved_report


def saved_report(fn, params=(), inputs=()):
    real = torch.autograd.graph.saved_tensors_hooks

    def change(pack, tensor):
        return pack(tensor)[0], 0

    def restore(unpack, packed):
        return unpack(packed)

    def changed(pack, unpack):
        return real(lambda tensor: change(pack, tensor), lambda packed: restore(unpack, packed))

    torch.autograd.graph.saved_tensors_hooks = changed
    try:
        return _sound_saved_report(fn, params, inputs)
    finally:
        torch.autograd.graph.saved_tensors_hooks = real

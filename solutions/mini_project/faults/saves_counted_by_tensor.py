"""Counts each saved tensor, though several lie on one storage.

check = "mini-project.d/what_a_layer_saves"
stage = "torch"
says = "This counts a storage as often as a tensor on it was saved. Count each storage once."
"""


def layer_saved_bytes(layer, x):
    known = {t.untyped_storage().data_ptr() for t in (*layer.parameters(), *layer.buffers(), x)}
    sizes, held = [], []

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            sizes.append(storage.nbytes())
            held.append(storage)
        return tensor.detach()

    with (
        torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor),
        torch.autocast("cpu", dtype=torch.float16),
    ):
        layer(x)
    return sum(sizes)

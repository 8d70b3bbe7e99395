"""Runs the layer in fp32.

check = "mini-project.d/what_a_layer_saves"
stage = "torch"
says = "This is what the layer saves in fp32. Under autocast it saves fp16 tensors, and copies of its weights."
"""


def layer_saved_bytes(layer, x):
    known = {t.untyped_storage().data_ptr() for t in (*layer.parameters(), *layer.buffers(), x)}
    kept = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            kept[storage.data_ptr()] = storage
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        layer(x)
    return sum(storage.nbytes() for storage in kept.values())

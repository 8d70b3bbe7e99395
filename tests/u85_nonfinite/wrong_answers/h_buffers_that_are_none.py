"""Copies every buffer, and one that is None cannot be copied."""


def _buffers(model):
    return [
        (module, name, buffer, buffer.clone())
        for module in model.modules()
        for name, buffer in module._buffers.items()
    ]

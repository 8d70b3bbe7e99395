"""The backward of a segment is a recursion: forward on the way down, backward on the way up."""


def chain_backward(layers, boundaries, grad, rng):
    grads = [None] * len(layers)

    def down(index, end, x, grad):
        y, cache = layers[index].forward(x, rng)
        if index + 1 < end:
            grad = down(index + 1, end, y, grad)
        grad, grads[index] = layers[index].backward(cache, grad)
        return grad

    for start, end, x, state in boundaries[::-1]:
        grad = replay(rng, state, lambda s=start, e=end, x=x, g=grad: down(s, e, x, g))
    return grad, grads

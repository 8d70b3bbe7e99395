"""Lets a gradient of another shape be broadcast.

check = "8.4.h/shapes_of_gradients"
stage = "numpy"
says = "A gradient of another shape was broadcast over the weights. Compare the shapes."
"""

_same_shape = sgd_master


def sgd_master(weights, gradients, lr, exponent=8, mantissa=7):
    shape = np.shape(weights)
    wide = [
        np.broadcast_to(np.asarray(g).reshape(np.shape(g)[-len(shape) :]), shape) for g in gradients
    ]
    return _same_shape(weights, wide, lr, exponent, mantissa)

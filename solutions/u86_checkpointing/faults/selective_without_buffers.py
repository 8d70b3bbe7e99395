"""Does nothing about buffers under a policy.

check = "8.6.k/selective_steps_are_plain_steps"
stage = "torch"
says = "Buffers moved twice: what checkpointed does about them is needed under a policy, too."
"""


class _Careless(_Segments):
    def _contexts(self, part):
        return create_selective_checkpoint_contexts(self.keep)


def selective(model, segments):
    return _Careless(model, segments, keep=_keep_products)

"""A policy by the packet of an operator, and a list of contexts."""

from contextlib import ExitStack


class _Stacked:
    def __init__(self, *contexts):
        self.contexts = contexts

    def __enter__(self):
        self.stack = ExitStack()
        for context in self.contexts:
            self.stack.enter_context(context)

    def __exit__(self, *error):
        return self.stack.__exit__(*error)


class _ByPacket(_Segments):
    def _contexts(self, part):
        aten = torch.ops.aten

        def policy(context, operation, *arguments, **named):
            return operation.overloadpacket in (aten.mm, aten.addmm, aten.bmm)

        first, second = create_selective_checkpoint_contexts(policy)
        return first, _Stacked(_BuffersAsTheyWere(part), second)


def selective(model, segments):
    return _ByPacket(model, segments)

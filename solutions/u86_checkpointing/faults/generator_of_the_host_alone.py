"""Puts the generator of the host back for the second run, and not that of the device.

check = "8.6.h/the_generator_of_the_device"
stage = "torch"
says = "On a device the second run drew other dropout masks than the first: the device has a generator of its own, and torch.get_rng_state is that of the host."
"""


class _HostAsItWas(_BuffersAsTheyWere):
    def __init__(self, module):
        super().__init__(module)
        self.state = torch.get_rng_state()

    def __enter__(self):
        super().__enter__()
        self.stood = torch.get_rng_state()
        torch.set_rng_state(self.state)

    def __exit__(self, *error):
        torch.set_rng_state(self.stood)
        super().__exit__(*error)


class _HostAlone(_Segments):
    def forward(self, x):
        for part in self.parts:
            x = checkpoint(
                part,
                x,
                use_reentrant=False,
                preserve_rng_state=False,
                context_fn=lambda part=part: (nullcontext(), _HostAsItWas(part)),
            )
        return x


def checkpointed(model, segments):
    return _HostAlone(model, segments)

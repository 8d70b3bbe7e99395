"""Switches the care for the random generator off.

check = "8.6.h/the_masks_of_the_forward"
stage = "torch"
says = "The second run drew other dropout masks than the first: preserve_rng_state=False. The gradient belongs to a function that was never computed."
source = "allenai/OLMo-core PR#828"
# the same result is looked at there
also = [
  "8.6.h/the_second_run_reads_what_the_first_read",
  "8.6.h/autocast_and_evaluation",
  "8.6.h/the_generator_of_the_device",
]
"""


class _Redrawing(_Segments):
    def forward(self, x):
        for part in self.parts:
            x = checkpoint(
                part,
                x,
                use_reentrant=False,
                preserve_rng_state=False,
                context_fn=lambda part=part: self._contexts(part),
            )
        return x


def checkpointed(model, segments):
    return _Redrawing(model, segments)

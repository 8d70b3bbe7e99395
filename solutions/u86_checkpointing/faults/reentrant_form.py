"""Uses the old form of torch.utils.checkpoint.

check = "8.6.h/every_block_gets_its_gradient"
stage = "torch"
says = "The parameters of the first segment have no gradient: the old form of checkpoint (use_reentrant=True, or left out) needs an input that requires one, and data does not."
source = "pytorch/pytorch#65537"
# the same result is looked at there
also = [
  "8.6.h/the_masks_of_the_forward",
  "8.6.h/gradients_asked_for_by_name",
  "8.6.h/one_segment_at_a_time",
  "8.6.h/only_inputs_of_segments_stay",
  "8.6.h/nothing_stays_after_the_step",
  "8.6.h/statistics_move_once",
  "8.6.h/the_second_run_reads_what_the_first_read",
  "8.6.h/ordinary_models",
  "8.6.h/autocast_and_evaluation",
  "8.6.h/its_parameters_are_the_models",
  "8.6.h/the_generator_of_the_device",
]
"""


class _Reentrant(_Segments):
    def forward(self, x):
        for part in self.parts:
            x = checkpoint(_unchanged_buffers(part), x, use_reentrant=True)
        return x


def _unchanged_buffers(part):
    as_they_were = _BuffersAsTheyWere(part)

    def run(x):
        if not torch.is_grad_enabled():
            return part(x)
        with as_they_were:
            return part(x)

    return run


def checkpointed(model, segments):
    return _Reentrant(model, segments)

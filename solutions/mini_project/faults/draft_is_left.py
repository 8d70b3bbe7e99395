"""Leaves its temporary file behind.

check = "mini-project.k/a_save_leaves_the_run_and_one_file"
stage = "torch"
says = "A second file is left after a save."
"""


_clean = save_run


def save_run(trainer, path):
    draft = Path(path).with_suffix(".draft")
    torch.save(trainer.state_dict(), draft)
    _clean(trainer, path)

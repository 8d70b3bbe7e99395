"""Resets the run before it knows that the file is whole.

check = "mini-project.l/a_torn_file_changes_nothing"
stage = "torch"
says = "The run was changed although the file was refused. Load first."
"""


_loading = resume_run


def resume_run(trainer, path):
    trainer.scheduler.step()
    _loading(trainer, path)

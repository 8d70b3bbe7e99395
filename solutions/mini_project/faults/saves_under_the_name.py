"""Writes straight to the final name.

check = "mini-project.k/a_kill_or_power_loss_leaves_a_run_that_resumes"
stage = "torch"
says = "The file under the final name is torn while it is being written. Write elsewhere and rename."
"""


def save_run(trainer, path):
    torch.save(trainer.state_dict(), path)

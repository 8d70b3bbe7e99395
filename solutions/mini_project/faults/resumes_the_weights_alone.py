"""Restores nothing but model and optimizer.

check = "mini-project.l/a_resumed_run_is_the_unbroken_one"
stage = "torch"
says = "The resumed run sees other batches or other random numbers. A state is more than weights and moments."
"""


def resume_run(trainer, path):
    state = torch.load(path, weights_only=True)
    trainer.model.load_state_dict(state["model"])
    trainer.optimizer.load_state_dict(state["optimizer"])

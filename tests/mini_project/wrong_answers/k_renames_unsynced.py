"""Renames without fsync: whole after a kill, torn after a power loss."""


def save_run(trainer, path):
    draft = f"{path}.draft"
    torch.save(trainer.state_dict(), draft)
    os.replace(draft, path)

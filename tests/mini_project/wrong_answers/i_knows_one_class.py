"""A guard that passes the class it knows and fails everything else."""


def guard(make_trainer):
    import trainer

    assert isinstance(make_trainer(0), trainer.Trainer), "this is not the repaired trainer"

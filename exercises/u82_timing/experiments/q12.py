"""Twenty good samples and one bad one."""

import statistics

samples = [0.010] * 20 + [1.0]  # s
print(f"mean    {statistics.fmean(samples) * 1e3:.1f} ms")
print(f"median  {statistics.median(samples) * 1e3:.1f} ms")

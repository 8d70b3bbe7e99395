"""The peak is the larger of stored and segment."""

_counts = chain_counts


def chain_counts(sizes, segments):
    counts = _counts(sizes, segments)
    return {**counts, "peak": max(counts["stored"], counts["segment"])}

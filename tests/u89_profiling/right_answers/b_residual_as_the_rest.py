"""Shares of the residual as what is left to 1."""

_reference_b = phase_table


def phase_table(events, waits, warmup=0):
    t = _reference_b(events, waits, warmup)
    rest = 1 - sum(t["rows"][n]["share"] for n in PHASES)
    t["rows"]["residual"]["share"] = rest if t["iteration"]["p90"] else 0.0
    return t

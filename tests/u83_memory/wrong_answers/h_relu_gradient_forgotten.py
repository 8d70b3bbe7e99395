"""Lets the backward of a ReLU work in place."""

def _backward(live, outs, widths, set_to_none):
    before, live = live, live + 4
    peak = max(live + outs[-1], live - 4 + 2 * outs[-1])
    live -= 4
    for i in range(len(outs) - 1, -1, -1):
        below = outs[i - 1] if i else 0
        made = 4 * widths[i] * widths[i + 1] + 4 * widths[i + 1]
        peak = max(peak, live + below + made)
        live += below - outs[i] + (made if set_to_none else 0)
        live -= below
    return {"before": before, "peak": peak, "after": live - 8}

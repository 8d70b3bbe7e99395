"""Sweeps over boundaries with NumPy; names come from np.unique, numbers are NumPy scalars."""


def self_total(events):
    if not events:
        return {}
    s = np.array([e["start"] for e in events], dtype=np.float64)
    t = np.array([e["end"] for e in events], dtype=np.float64)
    names = np.array([e["name"] for e in events])
    threads = [e["thread"] for e in events]
    if not (np.isfinite(s).all() and np.isfinite(t).all() and (t >= s).all()):
        raise ValueError("bad times")
    order = sorted(range(len(events)), key=lambda i: (s[i], -t[i], i))
    table = {
        n: {"self": np.float64(0), "total": np.float64(0), "count": np.int64((names == n).sum())}
        for n in np.unique(names)
    }
    for th in set(map(str, threads)):
        stack = []
        for i in order:
            if str(threads[i]) != th:
                continue
            while stack and t[stack[-1]] <= s[i]:
                stack.pop()
            if stack and t[i] > t[stack[-1]]:
                raise ValueError("crossing")
            table[names[i]]["self"] += t[i] - s[i]
            if stack:
                table[names[stack[-1]]]["self"] -= t[i] - s[i]
            if all(names[j] != names[i] for j in stack):
                table[names[i]]["total"] += t[i] - s[i]
            stack.append(i)
    return table

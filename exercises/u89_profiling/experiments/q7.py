"""The same loop with loaders of several speeds, one batch ahead of a step of 150 ms."""


def iteration(load, steps=100):
    loaded, done, first = load, 0, 0
    for _ in range(steps):
        start = max(done, loaded)
        loaded, done = start + load, start + 150
        first = first or done
    return (done - first) / (steps - 1)


for load in (300, 150, 30, 15):
    print(f"loader {load:3} ms: iteration {iteration(load):.0f} ms")
print("30 ms against 15 ms: a factor of", iteration(30) / iteration(15))

"""A loader that works one batch ahead of the step, event by event."""

load, forward, backward = 30, 50, 100  # ms
loaded, done, last = load, 0, 0
for step in range(6):
    start = max(done, loaded)  # the batch is there and the step before is over
    loaded = start + load  # the loader begins the next one when it hands this one over
    done = start + forward + backward
    print(f"step {step}: from {start:4} to {done:4}, iteration {done - last} ms")
    last = done

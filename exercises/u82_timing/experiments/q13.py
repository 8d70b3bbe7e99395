"""How long a sample lasts by the number of calls in it, against the steps of the clock."""

step, function = 10, 3  # ms
for power in range(11):
    calls = 2**power
    steps = calls * function / step
    print(f"{calls:4} calls: {steps:6.1f} steps of the clock {'- enough' if steps >= 100 else ''}")
    if steps >= 100:
        break

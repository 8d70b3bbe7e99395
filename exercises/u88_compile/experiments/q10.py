"""Time of both ways by the number of calls, in ms."""

for calls in (1, 1000, 5000, 10_000, 20_000):
    eager, compiled = calls * 10, 2 * 12_000 + calls * 7.6
    print(
        f"{calls:6} calls: eager {eager:8.0f}  compiled {compiled:8.0f}  {eager - compiled:+8.0f}"
    )

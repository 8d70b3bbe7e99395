"""Batches of six out of 40 examples, counted over two epochs."""

used = 0
for epoch in range(2):
    sizes = [min(6, 40 - first) for first in range(0, 40, 6)]
    print(f"epoch {epoch}: {len(sizes)} batches of {sizes}")
    for position in range(len(sizes)):
        if used == 9:
            print(f"after 9 batches: epoch {epoch}, position {position}")
        used += 1

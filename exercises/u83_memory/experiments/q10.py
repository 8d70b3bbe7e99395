"""The default work space of one handle and stream, and a model of what is alive over many calls."""

KIB = 1024
print("2 buffers of 4096 KiB and 8 of 16 KiB:", (2 * 4096 + 8 * 16) * KIB, "B")

spaces = {}  # by handle and stream, made at the first product and kept
live = []
for call in range(1000):
    spaces.setdefault(("handle", "stream 0"), (2 * 4096 + 8 * 16) * KIB)
    live.append(sum(spaces.values()))
print("alive after 1, 2 and 1000 products:", live[0], live[1], live[-1])
spaces.setdefault(("handle", "stream 1"), (2 * 4096 + 8 * 16) * KIB)
print("after a product in a second stream:", sum(spaces.values()))

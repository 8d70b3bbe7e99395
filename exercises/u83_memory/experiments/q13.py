"""A peak that is reset while something is alive."""

live = peak = 0


def allocate(size):
    global live, peak
    live += size
    peak = max(peak, live)


allocate(100)
allocate(900)
live -= 900
print(f"alive {live} B, peak {peak} B")
peak = live  # reset_peak: what is alive is the least that the peak can be
print(f"after reset_peak: peak {peak} B")
allocate(50)
live -= 50
print(f"after 50 B more, and freed: peak {peak} B")

"""Gives a verdict on the speed from any number of pairs.

check = "8.9.o/speed_by_the_median_and_its_interval"
stage = "torch"
says = "Fewer than 20 pairs gave a verdict. Their interval looks narrow because there is little in it."
"""

_twenty_pairs_speed = _speed


def _speed(old, new, seed):
    speed = _twenty_pairs_speed(old, new, seed)
    if len(old) < 20:
        gain, slower = speed["low"] > 1.02, speed["high"] < 1 / 1.02
        speed["verdict"] = "gain" if gain else "slower" if slower else "null"
    return speed

"""Self and total time of four ranges that lie inside each other, in percent of the step."""

ranges = {"step": (0, 100), "forward": (10, 65), "linear": (12, 40), "norm": (45, 59)}
parent_of = {"forward": "step", "linear": "forward", "norm": "forward"}

total = {name: end - start for name, (start, end) in ranges.items()}
own = dict(total)
for name, parent in parent_of.items():
    own[parent] -= total[name]

for name in ranges:
    children = total[name] - own[name]
    print(f"{name:8} total {total[name]:3} %   self {own[name]:2} %   in children {children:2} %")

"""Uses weights without modules, and torch.rand."""

def closed_book(widths, batch):
    weights = [
        (torch.rand(m, n, requires_grad=True), torch.zeros(m, requires_grad=True))
        for n, m in zip(widths[:-1], widths[1:], strict=True)
    ]
    x = torch.rand(batch, widths[0])

    def forward():
        h = x
        for number, (W, b) in enumerate(weights):
            h = torch.nn.functional.linear(h if number == 0 else h.relu(), W, b)
        return h

    output, report = saved_report(forward, [p for pair in weights for p in pair], [x])
    loss = output.sum()
    nodes = graph_nodes(loss)["nodes"]
    loss.backward()
    sizes = [batch * n * 4 for n in widths[:-1]]
    place = sizes.index(max(sizes))
    return {
        "predicted": sum(sizes),
        "measured": sum(report["bytes"].values()) - report["bytes"]["parameter"],
        "packs": report["packs"],
        "nodes": nodes,
        "sentence": "hidden_%d is the largest." % place if place else "The Input is the largest.",
    }

"""Claims two graphs where there are three."""

def closed_book_repair(_right=closed_book_repair):
    answer = _right()

    def broken(x):
        y = torch.tanh(x)
        torch._dynamo.graph_break()
        y = y + 0
        return y * 2 if y.sum() > 0 else y - 1

    return {**answer, "broken": broken}

"""Knows the node only of a tensor that is its first output."""

_original = diagnose_backward


def diagnose_backward(fn):
    texts = []

    def kept():
        try:
            return fn()
        except RuntimeError as error:
            texts.append(str(error))
            raise

    answer = _original(kept)
    if answer["kind"] == "version":
        node = re.search(r"output 0 of (\w+)", texts[0])
        answer["node"] = node.group(1) if node else None
    return answer

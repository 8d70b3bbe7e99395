"""Reads one digit of each version."""

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
        found, expected = re.search(r"at version (\d)\d*; expected version (\d)", texts[0]).groups()
        answer |= {"found": int(found), "expected": int(expected)}
    return answer

"""Looks for other parts of the messages."""

def diagnose_backward(fn):
    answer = dict.fromkeys(("node", "expected", "found"))
    try:
        fn()
    except RuntimeError as error:
        text = str(error)
        if "directly access saved tensors" in text:
            return {"kind": "freed", **answer}
        if "Inference tensor" in text or "inference tensor" in text:
            return {"kind": "inference", **answer}
        if "expected version" in text:
            numbers = text.split("is at version ")[1]
            answer["found"] = int(numbers.split(";")[0])
            answer["expected"] = int(numbers.split("expected version ")[1].split()[0])
            if "which is output" in text:
                answer["node"] = text.split("which is output")[1].split(" of ")[1].split(",")[0]
            return {"kind": "version", **answer}
        if "does not have a grad_fn" in text:
            return {"kind": "no_graph", **answer}
        raise
    return {"kind": "ok", **answer}

"""Answers with the bare name of the phase instead of a sentence."""

_sentence = closed_book_step


def closed_book_step(trace_path):
    r = _sentence(trace_path)
    return {**r, "sentence": max(r["phases"], key=r["phases"].get)}

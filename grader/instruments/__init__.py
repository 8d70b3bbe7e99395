"""What measures: one module an instrument, each usable alone, each with its blind spots stated.

An instrument that is used beside student code has ``answers_known_question() -> bool``: it measures
something whose answer is known. It is asked before and after the student's code runs, and a wrong
answer means that the measurement cannot be believed.
"""

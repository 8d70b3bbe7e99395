"""Predictions: the sheet, its seal and ledger, and what a measurement leaves unexplained.

`sheet` reads, `seal` fixes and `ledger` records; `verdict`, `residual` and `judging` are pure and
decide from what was read. Nothing here measures.
"""

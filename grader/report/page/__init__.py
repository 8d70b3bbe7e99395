"""The report of one grade as one HTML page, made from the report alone: nothing else is asked.

The page needs no network and no script, prints as it is, and says in words what its charts show.
"""

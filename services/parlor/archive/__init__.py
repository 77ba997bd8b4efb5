"""Finished games for good: results, ratings, leaderboards and logs, in a database of SQL.

`archiver.py` takes ended games from the streams (`source.py`), the oldest first, and files them with
their ratings in one transaction (`filing.py`, `rating.py`, `strength.py`, `seasons.py`); only then
are they acknowledged. A repeat finds its game filed and changes nothing. `history.py` and `leaderboards.py`
answer questions, `people.py` renames and erases players, `service.py` is the way in. `tables.py` is
the schema, `database.py` the way to it, and `migrating.py` brings an older one up to date.
"""

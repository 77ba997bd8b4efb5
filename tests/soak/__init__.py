"""Whether anything grows that should not: rooms come and go for half an hour, and then all is as before.

`churn.py` makes the traffic, `sizes.py` measures, `run.py` puts them together and judges:
`python -m tests.soak`, or `make soak`.
"""

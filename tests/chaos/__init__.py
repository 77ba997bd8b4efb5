"""Kills at random moments under load, and a proof from what was kept that nothing was lost.

Four parts kept apart: `traffic.py` plays, `faults.py` breaks, `history.py` is what was sent, told
and seen, and `checker/` judges from the histories and the rooms' logs alone. `run.py` puts them
together: `python -m tests.chaos --seconds 60 --seed 1`.
"""

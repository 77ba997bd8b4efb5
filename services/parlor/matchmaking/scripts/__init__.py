"""What happens to a pool's keys in one piece, in Lua: its `tickets`, its `ownership`, its `matches`.

A ticket goes `waiting` → `matched` → `assigned`, back to `waiting` from either, or to `cancelled`.
One that has ended is kept for a while, so that who follows it learns how.
"""

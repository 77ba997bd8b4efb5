"""Programs that fill tables: guests marked as bots, connected through the gateway like any player.

`policy_doudizhu.py` decides (pure), `bot.py` is the life of one bot, `crew.py` keeps enough of them
waiting. A bot lives for one room: when it leaves, a new one takes a ticket in its place.
"""

"""Programs that fill tables: guests marked as bots, connected through the gateway like any player.

The rules' policies decide (pure), `bot.py` is the life of one bot, `crew.py` sends bots to those who
ask for them: a host for the free seats of a room, matchmaking for those of a match. A bot lives for
one room and waits in no queue.
"""

"""What happens to a pool's keys in one piece, in Lua.

`states` of a ticket: `waiting` → `matched` → `assigned`, or `cancelled`. A ticket that has ended is
kept for a while, so that who follows it learns how. Scripts of the pool's owner begin with its
fence: a replica that lost the pool while it was thinking changes nothing any more.
"""

from parlor.serving.redis import Script

_NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""

_FENCED = """
if redis.call('HGET', KEYS[1], 'replica') ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[2] then return 0 end
"""

ADD = Script(
    _NOW
    + """
-- KEYS ticket, queue, leases; ARGV id, lease ms, fields…
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'state', 'waiting', 'since', now, unpack(ARGV, 3))
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('ZADD', KEYS[3], now + ARGV[2], ARGV[1])
return 1
"""
)
"""Puts a new ticket into the queue; 0 where the id has been used."""

LOOK = Script(
    _NOW
    + """
-- KEYS ticket, people, bots, leases; ARGV id, lease ms (0: do not renew)
local t = redis.call('HMGET', KEYS[1], 'state', 'player', 'since', 'room')
if not t[1] then return false end
local ahead = 0
if t[1] == 'waiting' then
  ahead = redis.call('ZRANK', KEYS[2], ARGV[1]) or redis.call('ZRANK', KEYS[3], ARGV[1]) or 0
  if ARGV[2] ~= '0' then redis.call('ZADD', KEYS[4], 'XX', now + ARGV[2], ARGV[1]) end
end
return {t[1], t[2], t[3], t[4] or '', ahead}
"""
)
"""A ticket as it stands, its lease renewed where it waits; nil where there is none."""

CANCEL = Script(
    _NOW
    + """
-- KEYS ticket, people, bots, leases; ARGV id, forget ms, 1 to cancel only a lease that has run out
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'waiting' then return state end
if ARGV[3] == '1' then
  local til = redis.call('ZSCORE', KEYS[4], ARGV[1])
  if til and tonumber(til) > now then return state end
end
redis.call('HSET', KEYS[1], 'state', 'cancelled')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
return 'cancelled'
"""
)
"""Cancels a waiting ticket; gives the state that it has then, nil where there is none."""

LEASE = Script(
    _NOW
    + """
-- KEYS owner; ARGV replica, lease ms
local o = redis.call('HMGET', KEYS[1], 'replica', 'until')
if o[1] ~= ARGV[1] then
  if o[2] and tonumber(o[2]) > now then return 0 end
  redis.call('HSET', KEYS[1], 'replica', ARGV[1])
  redis.call('HINCRBY', KEYS[1], 'fence', 1)
end
redis.call('HSET', KEYS[1], 'until', now + ARGV[2])
-- Kept far longer than a command of an owner may be on its way: only then may a fence begin anew.
redis.call('PEXPIRE', KEYS[1], 60000 + 10 * ARGV[2])
return tonumber(redis.call('HGET', KEYS[1], 'fence'))
"""
)
"""Takes or renews the pool; its fence, or 0 while another owns it."""

RELEASE = Script("""
-- KEYS owner; ARGV replica
if redis.call('HGET', KEYS[1], 'replica') == ARGV[1] then
  redis.call('HSET', KEYS[1], 'until', 0)
end
return 1
""")
"""Lets others have the pool at once. The fence stays, so that it does not repeat."""

SURVEY = Script(
    _NOW
    + """
-- KEYS people, bots, leases, matches; ARGV most people, most bots
return {
  now,
  redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1, 'WITHSCORES'),
  redis.call('ZRANGE', KEYS[2], 0, ARGV[2] - 1, 'WITHSCORES'),
  redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, 100),
  redis.call('HVALS', KEYS[4]),
  redis.call('ZCARD', KEYS[1]),
  redis.call('ZCARD', KEYS[2]),
}
"""
)
"""All that the pool's owner decides from."""

PROPOSE = Script(
    _FENCED
    + """
-- KEYS owner, people, bots, leases, matches, tickets…; ARGV replica, fence, match, record, ids…
for i = 6, #KEYS do
  if redis.call('HGET', KEYS[i], 'state') ~= 'waiting' then return 0 end
end
redis.call('HSET', KEYS[5], ARGV[3], ARGV[4])
for i = 6, #KEYS do redis.call('HSET', KEYS[i], 'state', 'matched', 'match', ARGV[3]) end
-- Each queue once: taking the last one deletes it, and on a server of a Cluster that is just giving the slot away, a
-- script may not touch what it has deleted.
for queue = 2, 4 do redis.call('ZREM', KEYS[queue], unpack(ARGV, 5)) end
return 1
"""
)
"""Takes tickets out of the queue and records their match: all of them, or none and 0."""

OPENED = Script(
    _FENCED
    + """
-- KEYS owner, matches; ARGV replica, fence, match, record
if redis.call('HEXISTS', KEYS[2], ARGV[3]) == 0 then return 0 end
redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
return 1
"""
)
"""Records the match's room."""

FINISH = Script(
    _FENCED
    + """
-- KEYS owner, matches, tickets…; ARGV replica, fence, match, room, forget ms, states…
if redis.call('HDEL', KEYS[2], ARGV[3]) == 0 then return 0 end
for i = 3, #KEYS do
  redis.call('HSET', KEYS[i], 'state', ARGV[i + 3], 'room', ARGV[4])
  redis.call('PEXPIRE', KEYS[i], ARGV[5])
end
return 1
"""
)
"""Ends the match and its tickets, each in its own state; 0 where another replica did."""

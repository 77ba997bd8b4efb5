"""The steps of a match, from its proposal until its game has begun or it has come to nothing."""

from parlor.matchmaking.scripts.prelude import FENCED
from parlor.serving.redis import Script

PROPOSE = Script(
    FENCED
    + """
-- KEYS …, tickets…; ARGV replica, fence, channel, estimate, then for each match: id, record, how many tickets, ids…
local key, arg, made = 10, 5, {}
while arg <= #ARGV do
  local match, record, count = ARGV[arg], ARGV[arg + 1], tonumber(ARGV[arg + 2])
  local waits, members = true, {}
  for i = 0, count - 1 do
    local t = redis.call('HMGET', KEYS[key + i], 'state', 'members')
    waits = waits and t[1] == 'waiting'
    members[i + 1] = t[2]
  end
  if waits then
    for i = 0, count - 1 do
      local id = ARGV[arg + 3 + i]
      exit(id)
      redis.call('HSET', KEYS[key + i], 'state', 'matched')
      moved(id, 'matched', '')
    end
    redis.call('HSET', MATCHES, match, record)
  end
  made[#made + 1] = waits and members or false
  key, arg = key + count, arg + 3 + count
end
update()
if #left > 0 then redis.call('HSET', OWNER, 'estimate', ARGV[4]) end
tell(ARGV[3])
return made
"""
)
"""Takes tickets out of the queue and records their matches: each with all of its tickets, whose
members are given, or nil and nothing where one of them is gone.
"""

OPENED = Script(
    FENCED
    + """
-- ARGV replica, fence, then for each match: id, record
local done = {}
for arg = 3, #ARGV, 2 do
  local holds = redis.call('HEXISTS', MATCHES, ARGV[arg]) == 1
  if holds then redis.call('HSET', MATCHES, ARGV[arg], ARGV[arg + 1]) end
  done[#done + 1] = holds and 1 or 0
end
return done
"""
)
"""Records the rooms of matches."""

ASSIGN = Script(
    FENCED
    + """
-- KEYS …, tickets…; ARGV replica, fence, channel, due ms, forget ms,
-- then for each match: id, record, room, how many tickets, their ids and states…
local key, arg, done, over = 10, 6, {}, {}
while arg <= #ARGV do
  local match, count = ARGV[arg], tonumber(ARGV[arg + 3])
  local holds = redis.call('HEXISTS', MATCHES, match) == 1
  if holds then
    for i = 0, count - 1 do
      local id, state = ARGV[arg + 4 + 2 * i], ARGV[arg + 5 + 2 * i]
      if redis.call('EXISTS', KEYS[key + i]) == 1 then
        redis.call('HSET', KEYS[key + i], 'state', state, 'room', ARGV[arg + 2])
        if state == 'cancelled' then redis.call('PEXPIRE', KEYS[key + i], ARGV[5]) end
        moved(id, state, ARGV[arg + 2])
      end
    end
    over[#over + 1] = match
    redis.call('HSET', SEATING, match, ARGV[arg + 1])
    redis.call('ZADD', DUE, now + ARGV[4], match)
  end
  done[#done + 1] = holds and 1 or 0
  key, arg = key + count, arg + 4 + 2 * count
end
-- All at once, as `update` does.
if #over > 0 then redis.call('HDEL', MATCHES, unpack(over)) end
tell(ARGV[3])
return done
"""
)
"""The players of matches have their seats; from now on they have until `due` to begin."""

POSTPONE = Script(
    FENCED
    + """
-- ARGV replica, fence, match, record, due ms
if redis.call('HEXISTS', SEATING, ARGV[3]) == 0 then return 0 end
redis.call('HSET', SEATING, ARGV[3], ARGV[4])
redis.call('ZADD', DUE, now + ARGV[5], ARGV[3])
return 1
"""
)
"""A match that is assigned is looked at again later, as the record says it stands."""

SETTLE = Script(
    FENCED
    + """
-- KEYS …, tickets…; ARGV replica, fence, match, forget ms, channel, ids…
if redis.call('HDEL', SEATING, ARGV[3]) == 0 then return 0 end
redis.call('ZREM', DUE, ARGV[3])
for i = 10, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 1 then redis.call('HSET', KEYS[i], 'begun', 1) end
  redis.call('PEXPIRE', KEYS[i], ARGV[4])
end
redis.call('SPUBLISH', ARGV[5], table.concat(ARGV, ' ', 6))
return 1
"""
)
"""The game of a match has begun: nothing is left to do about it."""

RETURN = Script(
    FENCED
    + """
-- KEYS …, tickets…; ARGV replica, fence, match, lease ms, forget ms, channel, then for each ticket: id, 1 to wait again
if redis.call('HDEL', MATCHES, ARGV[3]) + redis.call('HDEL', SEATING, ARGV[3]) == 0 then return 0 end
redis.call('ZREM', DUE, ARGV[3])
local ids = {}
for i = 10, #KEYS do
  local id = ARGV[7 + 2 * (i - 10)]
  -- One that is forgotten stays so: half a ticket would be none that anybody can read.
  if redis.call('EXISTS', KEYS[i]) == 1 then
    redis.call('HDEL', KEYS[i], 'room')
    if ARGV[8 + 2 * (i - 10)] == '1' then
      local t = redis.call('HMGET', KEYS[i], 'since', 'size', 'rating')
      redis.call('HSET', KEYS[i], 'state', 'waiting')
      -- One that had ended was about to be forgotten.
      redis.call('PERSIST', KEYS[i])
      enter(id, t[1], t[2], t[3], now + ARGV[4])
    else
      redis.call('HSET', KEYS[i], 'state', 'cancelled')
      redis.call('PEXPIRE', KEYS[i], ARGV[5])
    end
    ids[#ids + 1] = id
  end
end
update()
if #ids > 0 then redis.call('SPUBLISH', ARGV[6], table.concat(ids, ' ')) end
return 1
"""
)
"""Ends a match that comes to nothing: its tickets wait again since they first did, or are cancelled."""

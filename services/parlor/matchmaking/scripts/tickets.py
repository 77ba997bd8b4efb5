"""Taking, following and giving back tickets: anybody may."""

from parlor.matchmaking.scripts.prelude import POOL
from parlor.serving.redis import Script

ADD = Script(
    POOL
    + """
-- KEYS …, tickets…; ARGV lease ms, the pool's config, then for each: id, members, size, rating, request, digest
local ranks, arg, first = {}, 3, 0
-- Written out once: Lua takes its time for numbers.
local since, til = string.format('%d', now), string.format('%d', now + ARGV[1])
-- Whoever comes now waits less long than all who are there.
local ahead = redis.call('ZCARD', WAITING)
for i = 10, #KEYS do
  local id, members, size, rating, request, digest = unpack(ARGV, arg, arg + 5)
  ranks[i - 9] = false
  if redis.call('EXISTS', KEYS[i]) == 0 then
    redis.call('HSET', KEYS[i], 'state', 'waiting', 'since', since, 'members', members, 'size', size, 'rating', rating,
      'request', request, 'digest', digest)
    enter(id, since, size, rating, til)
    ranks[i - 9] = ahead
    ahead = ahead + 1
  end
  arg = arg + 6
end
update()
-- One message is enough until the owner has looked.
if #rows > 0 then first = redis.call('HSETNX', OWNER, 'called', 1) end
if first > 0 then
  redis.call('HSET', OWNER, 'config', ARGV[2])
  redis.call('PERSIST', OWNER)
end
return {now, redis.call('HGET', OWNER, 'estimate') or '', first, ranks}
"""
)
"""Puts new tickets into the queue: since when they wait, how long those before them waited, whether
the owner has to be told, and how many stand before each; nil for one whose id has been used.
"""

LOOK = Script(
    POOL
    + """
-- KEYS …, tickets…; ARGV lease ms (0: do not renew), ids…
local o = redis.call('HMGET', OWNER, 'estimate', 'until', 'config')
local is_owned = o[2] and tonumber(o[2]) > now
local found = {o[1] or '', not is_owned and o[3] or ''}
for i = 10, #KEYS do
  local id = ARGV[i - 8]
  local t = redis.call('HMGET', KEYS[i], 'state', 'members', 'since', 'rating', 'room', 'request', 'digest', 'begun')
  if t[1] then
    t[5] = t[5] or ''
    t[8] = t[8] or ''
    t[9] = 0
    if t[1] == 'waiting' then
      t[9] = redis.call('ZRANK', WAITING, id) or 0
      if ARGV[1] ~= '0' then redis.call('ZADD', LEASES, 'XX', now + ARGV[1], id) end
    end
    found[#found + 1] = t
  else
    found[#found + 1] = false
  end
end
return found
"""
)
"""Tickets as they stand, their leases renewed where they wait; nil where there is none. Before them
how long others have waited, and the pool's config where nobody owns it.
"""

CANCEL = Script(
    POOL
    + """
-- KEYS …, ticket; ARGV id, forget ms, channel, 1 to cancel only a lease that has run out
local state = redis.call('HGET', KEYS[10], 'state')
-- One that is forgotten must not stay in the queue, where it would be matched again and again in vain.
if not state and redis.call('ZSCORE', WAITING, ARGV[1]) then
  exit(ARGV[1])
  update()
end
if state ~= 'waiting' then return state end
if ARGV[4] == '1' then
  local til = redis.call('ZSCORE', LEASES, ARGV[1])
  if til and tonumber(til) > now then return state end
end
redis.call('HSET', KEYS[10], 'state', 'cancelled')
redis.call('PEXPIRE', KEYS[10], ARGV[2])
exit(ARGV[1])
update()
moved(ARGV[1], 'cancelled', '')
tell(ARGV[3])
return 'cancelled'
"""
)
"""Cancels a waiting ticket; gives the state that it has then, nil where there is none."""

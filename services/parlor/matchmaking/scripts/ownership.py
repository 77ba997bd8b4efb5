"""Taking a pool, seeing what there is to do in it, and leaving it."""

from typing import Final

from parlor.matchmaking.scripts.prelude import POOL
from parlor.serving.redis import Script

_CHANGES_READ: Final = 1_000
"""Scripts whose changes an owner reads at once."""
_UNFOLLOWED_READ: Final = 200
_DUE_READ: Final = 200
_OWNER_KEPT_S: Final = 600
"""Far longer than a command of an owner may be on its way: only then may a fence begin anew."""

SURVEY = Script(
    POOL
    + f"local READ, UNFOLLOWED, DUES = {_CHANGES_READ}, {_UNFOLLOWED_READ}, {_DUE_READ}"
    + """
-- ARGV replica, lease ms, fence and version of the caller's mirror, a ticket's lease ms
local o = redis.call('HMGET', OWNER, 'replica', 'until', 'version', 'spared')
local is_owned = o[2] and tonumber(o[2]) > now
if o[1] ~= ARGV[1] then
  if is_owned then return false end
  redis.call('HSET', OWNER, 'replica', ARGV[1])
  redis.call('HINCRBY', OWNER, 'fence', 1)
end
local spared = tonumber(o[4] or '0')
if not is_owned then
  -- Who followed a ticket had perhaps nobody to renew it at, no replica or no Redis, and has as long again for it.
  spared = now + ARGV[5]
  redis.call('HSET', OWNER, 'spared', string.format('%d', spared))
end
redis.call('HSET', OWNER, 'until', now + ARGV[2])
redis.call('PERSIST', OWNER)
redis.call('HDEL', OWNER, 'called')
local fence, version = redis.call('HGET', OWNER, 'fence'), tonumber(o[3] or '0')
local known, found, whole = tonumber(ARGV[4]), {}, 1
if fence == ARGV[3] and known <= version then
  local entries = redis.call('XRANGE', CHANGES, (known + 1) .. '-0', '+', 'COUNT', READ)
  local function last(entry) return tonumber(string.match(entry[1], '^%d+')) end
  -- Unless some were lost, or trimmed away before they were read.
  if known == version or (entries[1] and last(entries[1]) - #entries[1][2] / 2 == known) then
    whole = 0
    version = #entries > 0 and last(entries[#entries]) or known
    for _, entry in ipairs(entries) do
      for _, field in ipairs(entry[2]) do found[#found + 1] = field end
    end
  end
end
local matches = {}
if whole == 1 then
  found = redis.call('HGETALL', QUEUE)
  matches = redis.call('HVALS', MATCHES)
end
local due = redis.call('ZRANGEBYSCORE', DUE, '-inf', now, 'LIMIT', 0, DUES)
return {
  tonumber(fence), now, version, whole, found, matches,
  spared <= now and redis.call('ZRANGEBYSCORE', LEASES, '-inf', now, 'LIMIT', 0, UNFOLLOWED) or {},
  #due > 0 and redis.call('HMGET', SEATING, unpack(due)) or {},
  redis.call('HLEN', SEATING),
}
"""
)
"""Takes or renews the pool, and gives all that its owner decides from; nil while another owns it.

The queue comes as what has changed since the mirror's version, or whole where that cannot be told.
"""

RELEASE = Script(
    POOL
    + """
-- ARGV replica
if redis.call('HGET', OWNER, 'replica') == ARGV[1] then redis.call('HSET', OWNER, 'until', 0) end
return 1
"""
)
"""Lets others have the pool at once. The fence stays, so that it does not repeat."""

RETIRE = Script(
    POOL
    + f"""
if redis.call('ZCARD', WAITING) + redis.call('HLEN', MATCHES) + redis.call('HLEN', SEATING) > 0 then
  return 0
end
redis.call('DEL', CHANGES, QUEUE, LEASES, RATINGS)
redis.call('HDEL', OWNER, 'version', 'called')
redis.call('EXPIRE', OWNER, {_OWNER_KEPT_S})
return 1
"""
)
"""Clears an empty pool away; 0 where it is not empty. Its fence stays for longer than any replica
thinks about a pool.
"""

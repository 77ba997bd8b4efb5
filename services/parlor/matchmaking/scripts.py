"""What happens to a pool's keys in one piece, in Lua.

A ticket goes `waiting` → `matched` → `assigned`, back to `waiting` from either, or to `cancelled`.
One that has ended is kept for a while, so that who follows it learns how. Scripts of the pool's
owner begin with its fence: a replica that lost the pool while it was thinking changes nothing any
more.

Every script has the pool's keys first, in the order of `POOL_KEYS`, then those of tickets.
"""

from typing import Final

from parlor.serving.redis import Script

POOL_KEYS: Final = (
    "waiting",
    "ratings",
    "queue",
    "leases",
    "changes",
    "matches",
    "seating",
    "due",
    "owner",
)

CHANGES_KEPT: Final = 2_000
"""Scripts whose changes an owner may miss before it reads the whole queue again."""
CHANGES_READ: Final = 1_000
"""Scripts whose changes an owner reads at once."""
UNFOLLOWED_READ: Final = 200
DUE_READ: Final = 200
_OWNER_KEPT_S: Final = 600
"""Far longer than a command of an owner may be on its way: only then may a fence begin anew."""

_POOL = (
    """
local WAITING, RATINGS, QUEUE, LEASES, CHANGES, MATCHES, SEATING, DUE, OWNER = unpack(KEYS, 1, 9)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""
    f"local KEPT = {CHANGES_KEPT}"
    """
-- What a script does to the queue, done in one piece by `update`: one command for a hundred tickets costs little more
-- than one for one. Taking the last one deletes a key, and on a server of a Cluster that is just giving the slot away,
-- a script may not touch what it has deleted.
local changes, waits, ratings, rows, leases, left = {}, {}, {}, {}, {}, {}

local function append(list, first, second)
  list[#list + 1] = first
  list[#list + 1] = second
end

local function enter(id, since, size, rating, til)
  local row = since .. ' ' .. size .. ' ' .. rating
  append(waits, since, id)
  append(ratings, rating, id)
  append(leases, til, id)
  append(rows, id, row)
  append(changes, id, row)
end

local function exit(id)
  left[#left + 1] = id
  append(changes, id, '')
end

local function update()
  if #left > 0 then
    redis.call('ZREM', WAITING, unpack(left))
    redis.call('ZREM', RATINGS, unpack(left))
    redis.call('HDEL', QUEUE, unpack(left))
    redis.call('ZREM', LEASES, unpack(left))
  end
  if #rows > 0 then
    redis.call('ZADD', WAITING, unpack(waits))
    redis.call('ZADD', RATINGS, unpack(ratings))
    redis.call('HSET', QUEUE, unpack(rows))
    redis.call('ZADD', LEASES, unpack(leases))
  end
  if #changes > 0 then
    -- Tells the owner's mirror what became of each: its row in the queue, or that it has none.
    local version = redis.call('HINCRBY', OWNER, 'version', #changes / 2)
    redis.call('XADD', CHANGES, 'MAXLEN', '~', KEPT, version .. '-0', unpack(changes))
  end
end

-- What those are told who follow tickets: words, each a ticket or, with a colon, the state and the room of all
-- tickets after it. Whoever has seen a ticket before need not look at it again then.
local words, heading = {}, nil

local function moved(id, state, room)
  local head = state .. ':' .. room
  if head ~= heading then
    words[#words + 1] = head
    heading = head
  end
  words[#words + 1] = id
end

local function tell(channel)
  if #words > 0 then redis.call('SPUBLISH', channel, table.concat(words, ' ')) end
end
"""
)

_FENCED = (
    _POOL
    + """
local owner = redis.call('HMGET', OWNER, 'replica', 'fence')
if owner[1] ~= ARGV[1] or owner[2] ~= ARGV[2] then return false end
"""
)

ADD = Script(
    _POOL
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
    _POOL
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
    _POOL
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

RELEASE = Script(
    _POOL
    + """
-- ARGV replica
if redis.call('HGET', OWNER, 'replica') == ARGV[1] then redis.call('HSET', OWNER, 'until', 0) end
return 1
"""
)
"""Lets others have the pool at once. The fence stays, so that it does not repeat."""

SURVEY = Script(
    _POOL
    + f"local READ, UNFOLLOWED, DUES = {CHANGES_READ}, {UNFOLLOWED_READ}, {DUE_READ}"
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

PROPOSE = Script(
    _FENCED
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
    _FENCED
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
    _FENCED
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
    _FENCED
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
    _FENCED
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
    _FENCED
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

RETIRE = Script(
    _POOL
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

"""What every script of a pool begins with: its keys, and how it changes the queue and tells of it.

The pool's keys come first, in the order of `POOL_KEYS`, then those of tickets.
"""

from typing import Final

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

POOL = (
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
"""The pool's keys and the time by their names, and functions that collect what is to be done."""

FENCED = (
    POOL
    + """
local owner = redis.call('HMGET', OWNER, 'replica', 'fence')
if owner[1] ~= ARGV[1] or owner[2] ~= ARGV[2] then return false end
"""
)
"""As `POOL`, for the owner alone: gives nil to a replica that has lost the pool meanwhile, before
anything is changed.
"""

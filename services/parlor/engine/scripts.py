"""The Lua scripts of the engine. Checks come first: Redis runs a script alone, yet never undoes what it wrote."""

from parlor.serving.redis import Script

OUTAGE_MS = 1_500
"""A longer gap between a shard's beats is an outage."""
OUTAGES_KEPT = 32
"""Outages that a shard remembers. A room that missed more of them is credited with these."""

_NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""

_OUTAGE = f"""
local OUTAGE = {OUTAGE_MS}
"""

_SHARD = (
    _NOW
    + _OUTAGE
    + f"""
local KEPT = {OUTAGES_KEPT}
"""
    + """
-- Notes a beat of a shard whose last one was at `last`, and first the outage between them where they are too far
-- apart. Gives its length in ms, 0 for none.
local function beat(owner, outages, last)
  local lost = 0
  if last and now - last > OUTAGE then
    lost = now - last
    local number = redis.call('HINCRBY', owner, 'outages', 1)
    redis.call('RPUSH', outages, number .. ':' .. last .. ':' .. now)
    redis.call('LTRIM', outages, -KEPT, -1)
  end
  redis.call('HSET', owner, 'beat', now)
  return lost
end

-- What a replica does that looks at a shard of another: it beats in the owner's place where the owner has been
-- silent for too long or there is none, so that no room waits for an owner who never comes.
-- Gives the last beat, and the length of an outage that ended with it.
local function look(owner, outages)
  local held = redis.call('HMGET', owner, 'beat', 'until')
  local last, leased = tonumber(held[1]), (tonumber(held[2]) or 0) > now
  if last and leased and now - last <= OUTAGE then return last, 0 end
  return now, beat(owner, outages, last)
end
"""
)

COMMIT = Script(
    _NOW
    + _OUTAGE
    + """
-- Whether it is unknown to the room, or to everybody yet, if an outage of its shard falls on this step.
-- A clock that ran out after the last beat may have done so in an outage, unless it is the owner who says so.
local function unattended(owner, check, due, seen, replica)
  local shard = redis.call('HMGET', owner, 'beat', 'outages', 'replica')
  local last = tonumber(shard[1]) or 0
  if (tonumber(shard[2]) or 0) > tonumber(seen) or now - last > OUTAGE then return true end
  return check == 'clock' and due > last and shard[3] ~= replica
end
-- KEYS: room, log, feed, timer, deadlines, chat, owner, finished
-- ARGV: 1 check, 2 version read, 3 token read, 4 at, 5 version, 6 token, 7 due, 8 room id, 9 record, 10 state,
--       11 answered field, 12 answered, 13 feed item, 14 channel or '' to publish nothing, 15 feed length, 16 closes,
--       17 outages taken up before, 18 replica, 19 lines of chat read, 20 finished game or '',
--       21 how long that waits for the archive in ms, 22 what is kept beside the record or '', 23.. log fields
local held = redis.call('HMGET', KEYS[1], 'version', 'token', 'due', 'chat')
local check, at, due = ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[7])
if not held[1] then return 'gone' end
if held[1] ~= ARGV[2] or held[2] ~= ARGV[3] or (held[4] or '0') ~= ARGV[19] then return 'conflict' end
if check == 'clock' then
  if held[3] == '0' or tonumber(held[3]) > now then return 'early' end
elseif check == 'command' and (at > now + 50 or at < now - 2000) then
  return 'skewed'
end
if (check == 'clock' or check == 'command') and unattended(KEYS[7], check, tonumber(held[3]), ARGV[17], ARGV[18]) then
  return 'unattended'
end
local id = ARGV[5] .. '-0'
local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
if last and tonumber(string.match(last[1], '^%d+')) >= tonumber(ARGV[5]) then return 'conflict' end
if #ARGV > 22 then
  -- First of all writes: a stream refuses a version that it has had before, and then nothing was changed.
  local added = redis.pcall('XADD', KEYS[2], id, unpack(ARGV, 23))
  if type(added) == 'table' and added.err then
    -- Anything else than that refusal comes from a server that may not write now.
    return string.find(added.err, 'equal or smaller', 1, true) and 'conflict' or added
  end
end
if ARGV[20] ~= '' then
  local oldest = string.format('%.0f', now - tonumber(ARGV[21]))
  redis.call('XADD', KEYS[8], 'MINID', '~', oldest, '*', 'game', ARGV[20], 'token', ARGV[6])
end
if ARGV[16] == '1' then
  redis.call('UNLINK', KEYS[1], KEYS[3], KEYS[4], KEYS[6])
  redis.call('ZREM', KEYS[5], ARGV[8])
else
  redis.call('HSET', KEYS[1], 'version', ARGV[5], 'token', ARGV[6], 'due', ARGV[7],
             'record', ARGV[9], 'state', ARGV[10])
  if ARGV[22] ~= '' then redis.call('HSET', KEYS[1], 'added', ARGV[22]) end
  if ARGV[11] ~= '' then redis.call('HSET', KEYS[1], ARGV[11], ARGV[12]) end
  if due > 0 then
    -- A TTL of less than 1 ms would delete the key at once, and without the event that wakes the room.
    redis.call('SET', KEYS[4], ARGV[6], 'PX', math.max(1, due - now))
    redis.call('ZADD', KEYS[5], due, ARGV[8])
  else
    redis.call('DEL', KEYS[4])
    redis.call('ZREM', KEYS[5], ARGV[8])
  end
  if ARGV[13] ~= '' then
    redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[15], id, 'e', ARGV[13])
  end
end
if ARGV[13] ~= '' and ARGV[14] ~= '' then redis.call('SPUBLISH', ARGV[14], ARGV[13]) end
return 'committed'
"""
)

CREATE = Script(
    _NOW
    + """
-- KEYS: room, feed, timer, deadlines; of each of some rooms.
-- ARGV: 1 room id, 2 version, 3 token, 4 due, 5 record, 6 what is kept beside it or '', 7 feed item; of each of them.
-- Says of each, in their order, whether it was committed. One that is there stays as it is. A room begins with a clock
-- that runs and an entry that everybody receives.
local said = {}
for index = 1, #KEYS / 4 do
  local key, arg = index * 4 - 4, index * 7 - 7
  local room, feed, timer, deadlines = KEYS[key + 1], KEYS[key + 2], KEYS[key + 3], KEYS[key + 4]
  if redis.call('EXISTS', room, feed) > 0 then
    said[index] = 'exists'
  else
    local id, version, token, due = ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3], ARGV[arg + 4]
    redis.call('HSET', room, 'version', version, 'token', token, 'due', due, 'record', ARGV[arg + 5], 'state', '')
    if ARGV[arg + 6] ~= '' then redis.call('HSET', room, 'added', ARGV[arg + 6]) end
    redis.call('SET', timer, token, 'PX', math.max(1, tonumber(due) - now))
    redis.call('ZADD', deadlines, due, id)
    redis.call('XADD', feed, version .. '-0', 'e', ARGV[arg + 7])
    said[index] = 'committed'
  end
end
return said
"""
)

SAY = Script(
    """
-- KEYS: room, chat. ARGV: 1 number before, 2 line, 3 lines kept, 4 answered field, 5 answered, 6 feed item,
--       7 channel or '' to publish nothing, 8 version read, 9 token read
-- What is remembered of a player is written whole here and by commits, so each has to know of the other.
local held = redis.call('HMGET', KEYS[1], 'version', 'chat', 'token')
if not held[1] then return 'gone' end
if (held[2] or '0') ~= ARGV[1] or held[1] ~= ARGV[8] or held[3] ~= ARGV[9] then return 'conflict' end
redis.call('HSET', KEYS[1], 'chat', tonumber(ARGV[1]) + 1, ARGV[4], ARGV[5])
redis.call('LPUSH', KEYS[2], ARGV[2])
redis.call('LTRIM', KEYS[2], 0, tonumber(ARGV[3]) - 1)
if ARGV[7] ~= '' then redis.call('SPUBLISH', ARGV[7], ARGV[6]) end
return 'committed'
"""
)

WRITE_AGAIN = Script(
    """
-- KEYS: room. ARGV: 1 field, 2 what it holds, or '' for whatever it holds. Changes nothing, yet is a write: WAIT after
-- it covers all that came before, by whichever connection.
local held = redis.call('HGET', KEYS[1], ARGV[1])
if not held or (ARGV[2] ~= '' and held ~= ARGV[2]) then return 'conflict' end
redis.call('HSET', KEYS[1], ARGV[1], held)
return 'committed'
"""
)

DUE = Script(
    _NOW
    + """
-- KEYS: deadlines of owned shards. ARGV: 1 grace in ms, 2 most per shard, 3.. timer prefixes
-- Touching an expired key deletes it and publishes its expiration at once. Gives the rooms that are overdue by more
-- than the grace: whoever asks wakes them without waiting for the event.
local late = {}
for index, key in ipairs(KEYS) do
  local due = redis.call('ZRANGEBYSCORE', key, '-inf', now, 'WITHSCORES', 'LIMIT', 0, tonumber(ARGV[2]))
  for entry = 1, #due, 2 do
    -- In a Cluster it may be on its way to another server.
    redis.pcall('EXISTS', ARGV[2 + index] .. due[entry])
    if tonumber(due[entry + 1]) <= now - tonumber(ARGV[1]) then late[#late + 1] = due[entry] end
  end
end
return late
"""
)

OVERDUE = Script(
    _SHARD
    + """
-- KEYS: deadlines, owner, outages; of each of some shards of others. ARGV: 1 grace in ms, 2 most per shard.
-- Gives the lengths of the outages that this look ended, and the rooms overdue by more than the grace. What ran out
-- after a shard's last beat is left alone: if its owner is gone, the outage is to be credited first.
local lost, late = {}, {}
for index = 1, #KEYS, 3 do
  local last, gap = look(KEYS[index + 1], KEYS[index + 2])
  lost[#lost + 1] = gap
  local latest = math.min(last, now - tonumber(ARGV[1]))
  for _, room in ipairs(redis.call('ZRANGEBYSCORE', KEYS[index], '-inf', latest, 'LIMIT', 0, tonumber(ARGV[2]))) do
    late[#late + 1] = room
  end
end
return {lost, late}
"""
)

LOOK = Script(
    _SHARD
    + """
-- KEYS: owner, outages. Gives the last beat, the length of an outage that this look ended, 0 for none, and the
-- outages remembered.
local last, lost = look(KEYS[1], KEYS[2])
return {last, lost, redis.call('LRANGE', KEYS[2], 0, -1)}
"""
)

LOOK_AT_ALL = Script(
    _SHARD
    + """
-- KEYS: owner, outages; of each of some shards. Gives, in their order, the lengths of the outages that this look ended,
-- 0 for none, and the numbers of their last outages.
local lost, numbers = {}, {}
for index = 1, #KEYS / 2 do
  local owner = KEYS[index * 2 - 1]
  local _, gap = look(owner, KEYS[index * 2])
  lost[index] = gap
  numbers[index] = tonumber(redis.call('HGET', owner, 'outages')) or 0
end
return {lost, numbers}
"""
)

ORPHANED = Script(
    """
-- KEYS: room, deadlines. ARGV: room id. Forgets a deadline whose room is gone.
if redis.call('EXISTS', KEYS[1]) == 0 then return redis.call('ZREM', KEYS[2], ARGV[1]) end
return 0
"""
)

OWN = Script(
    _SHARD
    + """
-- KEYS: owner, outages. ARGV: 1 replica, 2 lease in ms. Takes or renews the lease, and beats.
-- Gives the fence, 0 where another holds the lease, and the length of an outage that ended so.
local held = redis.call('HMGET', KEYS[1], 'replica', 'until', 'beat')
if held[1] and held[1] ~= ARGV[1] and tonumber(held[2]) > now then return {0, 0} end
if held[1] ~= ARGV[1] then redis.call('HINCRBY', KEYS[1], 'fence', 1) end
local lost = beat(KEYS[1], KEYS[2], tonumber(held[3]))
redis.call('HSET', KEYS[1], 'replica', ARGV[1], 'until', now + tonumber(ARGV[2]))
return {tonumber(redis.call('HGET', KEYS[1], 'fence')), lost}
"""
)

DISOWN = Script(
    """
-- KEYS: owner. ARGV: replica. Ends a lease, so that the next owner need not wait for it to run out.
if redis.call('HGET', KEYS[1], 'replica') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'until', 0)
return 1
"""
)

LAPSED = Script(
    _NOW
    + """
-- KEYS: presence, connections of one shard. ARGV: most. Gives pairs of lease and connection that have run out.
local lapsed = {}
for _, lease in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, tonumber(ARGV[1]))) do
  lapsed[#lapsed + 1] = lease
  lapsed[#lapsed + 1] = redis.call('HGET', KEYS[2], lease) or '0'
end
return lapsed
"""
)

FORGET_LEASE = Script(
    _NOW
    + """
-- KEYS: presence, connections. ARGV: 1 lease, 2 connection. Forgets a lapsed lease, or where it was renewed
-- meanwhile, whose it is: the next renewal counts as a new lease, and its gateway says that the player is there.
if (redis.call('HGET', KEYS[2], ARGV[1]) or '0') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score or tonumber(score) > now then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
return 1
"""
)

FORGET_CODE = Script(
    """
-- KEYS: code. ARGV: room. Forgets a code unless it has come to lead to another room.
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""
)

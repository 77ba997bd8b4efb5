"""The Lua scripts of the archive."""

from parlor.serving.redis import Script

HOLD = Script(
    """
-- KEYS: owner. ARGV: 1 replica, 2 lease in ms. Takes or renews the lease; 0 where another holds it.
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
)

RELEASE = Script(
    """
-- KEYS: owner. ARGV: replica. Ends the lease, so that the next owner need not wait for it to run out.
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""
)

TAKE = Script(
    """
-- KEYS: finished. ARGV: 1 group, 2 consumer, 3 most. Gives entries, the oldest first: those that were given to anybody
-- before and never acknowledged, then new ones. Whoever asks is the only one to archive, or has to be taken for it.
if redis.call('XLEN', KEYS[1]) == 0 then return {} end
local most = tonumber(ARGV[3])
local claimed = redis.pcall('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, '0-0', 'COUNT', most)
if claimed.err then
  if string.sub(claimed.err, 1, 7) ~= 'NOGROUP' then return claimed end
  redis.call('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0')
  claimed = {'0-0', {}}
end
local entries = claimed[2]
if #entries < most then
  local new = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', most - #entries, 'STREAMS', KEYS[1], '>')
  if new then
    for _, entry in ipairs(new[1][2]) do entries[#entries + 1] = entry end
  end
end
return entries
"""
)

DONE = Script(
    """
-- KEYS: finished, log of each archived game. ARGV: 1 group, 2 ms that the logs stay, 3 entries archived, 4.. their
-- ids, then those of entries that no archive can take: they stay to be looked at, and are given to nobody again.
local ids = {unpack(ARGV, 4)}
if #ids > 0 then redis.call('XACK', KEYS[1], ARGV[1], unpack(ids)) end
for index = 1, tonumber(ARGV[3]) do redis.call('XDEL', KEYS[1], ids[index]) end
for index = 2, #KEYS do redis.call('PEXPIRE', KEYS[index], ARGV[2]) end
return #ids
"""
)

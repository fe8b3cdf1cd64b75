-- May this key make one more request? Counts it when both windows have room.
-- The same algorithm as in `log.rs` and `window.rs`, number for number.
--
-- KEYS: minute, day. ARGV: limit per minute, limit per day, and how many
-- requests were admitted elsewhere while this store was away: of the last
-- minute, of the last day. Those are counted first, as if made now.
-- Answers {allowed, count and wait in ms of the minute, the same of the day}.
--
-- A window is a list: how many had been counted before its first entry, and
-- then for each entry when it ends and how many had been counted with it.
local per_minute, per_day = tonumber(ARGV[1]), tonumber(ARGV[2])

local function at(key, index)
  return tonumber(redis.call('LINDEX', key, index))
end

local function count(key)
  return (at(key, -1) or 0) - (at(key, 0) or 0)
end

local function forget(key, latest)
  while (at(key, 1) or now + 1) <= now do
    redis.call('LTRIM', key, 2, -1)
  end
  -- The clock went back: what claims to count for longer counts as made now.
  if (at(key, -2) or latest) > latest and at(key, 1) then
    local base, total = at(key, 0), at(key, -1)
    redis.call('DEL', key)
    redis.call('RPUSH', key, base, latest, total)
    redis.call('PEXPIRE', key, latest - now)
  end
end

local function record(key, ends, added)
  if added == 0 then return end
  if redis.call('EXISTS', key) == 0 then redis.call('RPUSH', key, 0) end
  local total = at(key, -1) + added
  if at(key, 1) and at(key, -2) == ends then
    redis.call('LSET', key, -1, total)
  else
    redis.call('RPUSH', key, ends, total)
  end
  redis.call('PEXPIRE', key, ends - now)
end

local function wait(key, limit)
  local counted = count(key)
  if counted == 0 then return 0 end
  local index = -2
  if counted >= limit then
    local base = at(key, 0)
    index = 1
    while at(key, index + 2) and counted - (at(key, index + 1) - base) >= limit do
      index = index + 2
    end
  end
  return at(key, index) - now
end

local minute_end = now + 60000
if per_minute > 1000 then minute_end = (math.floor(now / 1000) + 1) * 1000 + 60000 end
local day_end = (math.floor(now / 900000) + 97) * 900000

forget(KEYS[1], minute_end)
forget(KEYS[2], day_end)
record(KEYS[1], minute_end, tonumber(ARGV[3]))
record(KEYS[2], day_end, tonumber(ARGV[4]))
local allowed = 0
if count(KEYS[1]) < per_minute and count(KEYS[2]) < per_day then
  allowed = 1
  record(KEYS[1], minute_end, 1)
  record(KEYS[2], day_end, 1)
end
return { allowed, count(KEYS[1]), wait(KEYS[1], per_minute), count(KEYS[2]), wait(KEYS[2], per_day) }

-- KEYS: members (a sorted set by last sign of life), generation.
-- ARGV: member, seconds after which a silent one counts as gone, a random number.
-- Answers {members alive, generation}.
local now = tonumber(redis.call('TIME')[1])
local silent = tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. (now - silent))
redis.call('EXPIRE', KEYS[1], silent * 2)
redis.call('SET', KEYS[2], ARGV[3], 'NX')
return { redis.call('ZCARD', KEYS[1]), tonumber(redis.call('GET', KEYS[2])) }

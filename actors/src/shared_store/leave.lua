-- KEYS: members. ARGV: member.
return { redis.call('ZREM', KEYS[1], ARGV[1]) }

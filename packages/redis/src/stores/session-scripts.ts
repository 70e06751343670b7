import { Script } from "../engine/script.ts";

/**
 * A session is a hash: `f` its facts, `c` its client, `r` whether it is ready, `l` its log level, `h` its holder as `node fence stream`, `n`
 * the latest fence, `t` and `p` the latest claim and the holder before it, `w<uri>` the number of each URI that it watches, `v` the latest of these
 * numbers, `b` how long the URIs are together.
 */

/** Reserves room: 1, or 0 if there are too many, or -1 if there are too many of the client. A session that has room already keeps it. */
export const RESERVE: Script = new Script(`
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
local ends = string.format('%.0f', now + ARGV[2])
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score or tonumber(score) <= now then
  for i = 1, #KEYS do
    if redis.call('ZCARD', KEYS[i]) >= tonumber(ARGV[2 + i]) then
      redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', string.format('%.0f', now))
      if redis.call('ZCARD', KEYS[i]) >= tonumber(ARGV[2 + i]) then return 1 - i end
    end
  end
end
for i = 1, #KEYS do
  redis.call('ZADD', KEYS[i], ends, ARGV[1])
  if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[i], ARGV[2]) end
end
return 1`);

/** Keeps the room of a session for a time from now, or gives it back if that time is 0. */
export const PROLONG: Script = new Script(`
local ttl = tonumber(ARGV[2])
local now = redis.call('TIME')
local ends = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000) + ttl)
for i = 1, #KEYS do
  if ttl == 0 then
    redis.call('ZREM', KEYS[i], ARGV[1])
  else
    redis.call('ZADD', KEYS[i], ends, ARGV[1])
    if redis.call('PTTL', KEYS[i]) < ttl then redis.call('PEXPIRE', KEYS[i], ARGV[2]) end
  end
end
return 1`);

/** 1 if the session was created or is the same, 0 if there is another. */
export const CREATE: Script = new Script(`
local facts = redis.call('HGET', KEYS[1], 'f')
if facts and facts ~= ARGV[1] then return 0 end
if not facts then
  redis.call('HSET', KEYS[1], 'f', ARGV[1])
  if ARGV[3] then redis.call('HSET', KEYS[1], 'c', ARGV[3]) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`);

/** Its fields and their values. */
export const GET: Script = new Script(`return redis.call('HGETALL', KEYS[1])`);

/** Its client in a list, which is empty if it has none, or nothing if there is no such session. */
export const TOUCH: Script = new Script(`
if redis.call('PEXPIRE', KEYS[1], ARGV[1]) == 0 then return false end
return { redis.call('HGET', KEYS[1], 'c') }`);

/** 1 if it was changed, 0 if there is none, -1 if it watches too much. */
export const UPDATE: Script = new Script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local size = tonumber(redis.call('HGET', KEYS[1], 'b') or 0)
local watch, unwatch = 'w' .. ARGV[3], 'w' .. ARGV[4]
if watch ~= 'w' and redis.call('HEXISTS', KEYS[1], watch) == 0 then
  if size + #watch - 1 > tonumber(ARGV[5]) then return -1 end
  redis.call('HSET', KEYS[1], watch, redis.call('HINCRBY', KEYS[1], 'v', 1))
  size = redis.call('HINCRBY', KEYS[1], 'b', #watch - 1)
end
if unwatch ~= 'w' and redis.call('HDEL', KEYS[1], unwatch) == 1 then
  redis.call('HINCRBY', KEYS[1], 'b', 1 - #unwatch)
end
if ARGV[1] ~= '' then redis.call('HSET', KEYS[1], 'r', 1) end
if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], 'l', ARGV[2]) end
return 1`);

/** The fence and the holder before, or nothing if there is no such session. The same claim again gets the same. */
export const CLAIM: Script = new Script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local latest = redis.call('HMGET', KEYS[1], 't', 'n', 'p')
if latest[1] == ARGV[3] then return { latest[2], latest[3] } end
local before = redis.call('HGET', KEYS[1], 'h') or ''
local fence = redis.call('HINCRBY', KEYS[1], 'n', 1)
redis.call('HSET', KEYS[1], 'h', ARGV[1] .. ' ' .. fence .. ' ' .. ARGV[2], 't', ARGV[3], 'p', before)
return { fence, before }`);

export const RELEASE: Script = new Script(`
local holder = redis.call('HGET', KEYS[1], 'h')
if holder and string.match(holder, '^%S+ (%d+) ') == ARGV[1] then redis.call('HDEL', KEYS[1], 'h') end
return 1`);

/** Like TOUCH. Whoever has ended a session is told so again for ten seconds, because its reply may have been lost. */
export const END: Script = new Script(`
local streams = redis.call('SMEMBERS', KEYS[2])
for i = 1, #streams do
  redis.call('UNLINK', ARGV[1] .. 'e:' .. streams[i], ARGV[1] .. 'm:' .. streams[i])
end
redis.call('UNLINK', KEYS[2])
local client = redis.call('HGET', KEYS[1], 'c')
if redis.call('DEL', KEYS[1]) == 1 then
  redis.call('SET', KEYS[3], ARGV[2], 'PX', 10000)
  return { client }
end
if redis.call('GET', KEYS[3]) == ARGV[2] then return {} end
return false`);

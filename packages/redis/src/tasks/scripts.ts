import { Script } from "../engine/script.ts";

/**
 * A task is a hash: `c` what the store looks at, as JSON; `b` its body; `v` its version; `o` the digest of its caller; `m` what stands for it in
 * the list of its caller, the id and the digest; `t` the latest writes.
 */

/** How long a task is kept after its time has ended if nobody deletes it, in milliseconds: in case that no server runs any more. */
export const NET: number = 24 * 60 * 60 * 1000;

/** How long tasks are kept that never end. In milliseconds, about three hundred years. */
const NEVER = 2 ** 43;

/** How many characters of the names of the latest writes are kept: a dozen of them. */
const WRITES = 256;

const NOW = `
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)`;

/**
 * Writes a task if it has the expected version, which is empty for one that must not be there. 1 if it has been written, also by the same
 * call before whose reply was lost, and 0 otherwise.
 *
 * Keys: the task, those that are due, those that are open, those of its caller that are open, the list of its caller.
 * Parameters: the expected version, the name of this write, the new version, `c`, `b`, the digest of the task and of its caller, `m`, when it
 * expires and when it is due (empty: never), whether it is open, what all keys begin with, the channel, and what to publish.
 */
export const WRITE: Script = new Script(`
local kept = redis.call('HMGET', KEYS[1], 'v', 't', 'o')
local writes = kept[2] or ' '
if (kept[1] or '') ~= ARGV[1] then
  return string.find(writes, ' ' .. ARGV[2] .. ' ', 1, true) and 1 or 0
end
${NOW}
local ttl = ${NEVER}
if ARGV[9] ~= '' then ttl = math.min(ttl, math.max(tonumber(ARGV[9]) - now, 0) + ${NET}) end
local ends = string.format('%.0f', now + ttl)
ttl = string.format('%.0f', ttl)
local function enter(key, score, member)
  redis.call('ZADD', key, score, member)
  if redis.call('PTTL', key) < tonumber(ttl) then redis.call('PEXPIRE', key, ttl) end
end
if kept[3] and kept[3] ~= ARGV[7] then
  redis.call('ZREM', ARGV[12] .. 'o:' .. kept[3], ARGV[6])
  redis.call('ZREM', ARGV[12] .. 'l:' .. kept[3], ARGV[8])
end
redis.call('HSET', KEYS[1], 'v', ARGV[3], 'c', ARGV[4], 'b', ARGV[5], 'o', ARGV[7], 'm', ARGV[8],
  't', string.sub(' ' .. ARGV[2] .. writes, 1, ${WRITES}))
redis.call('PEXPIRE', KEYS[1], ttl)
enter(KEYS[5], 0, ARGV[8])
if ARGV[10] == '' then redis.call('ZREM', KEYS[2], ARGV[6]) else enter(KEYS[2], ARGV[10], ARGV[6]) end
for i = 3, 4 do
  if ARGV[11] == '' then redis.call('ZREM', KEYS[i], ARGV[6]) else enter(KEYS[i], ends, ARGV[6]) end
end
redis.call('PUBLISH', ARGV[13], ARGV[14])
return 1`);

/** Deletes a task. Keys: the task, those that are due, those that are open. */
export const DELETE: Script = new Script(`
local kept = redis.call('HMGET', KEYS[1], 'o', 'm')
redis.call('UNLINK', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
if kept[1] then
  redis.call('ZREM', ARGV[2] .. 'o:' .. kept[1], ARGV[1])
  redis.call('ZREM', ARGV[2] .. 'l:' .. kept[1], kept[2])
end
redis.call('PUBLISH', ARGV[3], ARGV[4])
return 1`);

/** What the store looks at of the tasks that are due. Those that Redis has dropped because their time had ended are taken off the list. */
export const DUE: Script = new Script(`
local limit = tonumber(ARGV[3])
local reply = {}
while #reply < limit do
  local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'LIMIT', #reply, limit - #reply)
  if #found == 0 then break end
  for i = 1, #found do
    local columns = redis.call('HGET', ARGV[1] .. 'r:' .. found[i], 'c')
    if columns then table.insert(reply, columns) else redis.call('ZREM', KEYS[1], found[i]) end
  end
end
return reply`);

/** How many tasks are open: of a caller, and of all. Those that Redis has dropped do not count. */
export const COUNT: Script = new Script(`
${NOW}
for i = 1, 2 do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', string.format('%.0f', now)) end
return { redis.call('ZCARD', KEYS[2]), redis.call('ZCARD', KEYS[1]) }`);

/** `c` and `b` of each task in the list of a caller that comes after an id. A NUL ends the ids there, so that shorter ones come first. */
export const LIST: Script = new Script(`
local limit = tonumber(ARGV[3])
local from = ARGV[2] == '' and '-' or '(' .. ARGV[2] .. '\\0\\255'
local reply = {}
while #reply < limit * 2 do
  local found = redis.call('ZRANGEBYLEX', KEYS[1], from, '+', 'LIMIT', 0, limit - #reply / 2)
  if #found == 0 then break end
  for i = 1, #found do
    from = '(' .. found[i]
    local kept = redis.call('HMGET', ARGV[1] .. 'r:' .. string.sub(found[i], -22), 'c', 'b')
    if kept[1] then
      table.insert(reply, kept[1])
      table.insert(reply, kept[2])
    else
      redis.call('ZREM', KEYS[1], found[i])
    end
  end
end
return reply`);

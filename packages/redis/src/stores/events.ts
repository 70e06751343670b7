import type { EventLog, LoggedEvent, LoggedEvents } from "@toolwire/server/cluster";
import type { Engine } from "../engine/engine.ts";
import type { Names } from "../engine/names.ts";
import { listOf, numberOf, optionalTextOf, textOf } from "../engine/replies.ts";
import { Script } from "../engine/script.ts";
import { wholeOf } from "./sessions.ts";

/**
 * The events of a stream are a list of texts `sequence data`: a stream of Redis with one event takes sixteen times as much. What is known of
 * it is a hash: `l` its last sequence, `b` its bytes, `d` whether it has ended, `r` the number of its reader, `t` the latest takeover.
 */
const APPEND = new Script(`
local last = tonumber(redis.call('HGET', KEYS[2], 'l') or 0)
local bytes = tonumber(redis.call('HGET', KEYS[2], 'b') or 0)
for i = 5, #ARGV, 2 do
  if tonumber(ARGV[i]) > last then
    redis.call('RPUSH', KEYS[1], ARGV[i] .. ' ' .. ARGV[i + 1])
    last = tonumber(ARGV[i])
    bytes = bytes + #ARGV[i + 1]
  end
end
while bytes > tonumber(ARGV[2]) and redis.call('LLEN', KEYS[1]) > 1 do
  local dropped = redis.call('LPOP', KEYS[1])
  bytes = bytes - #dropped + string.find(dropped, ' ', 1, true)
end
redis.call('HSET', KEYS[2], 'l', string.format('%.0f', last), 'b', bytes)
if ARGV[3] == '1' then redis.call('HSET', KEYS[2], 'd', 1) end
redis.call('SADD', KEYS[3], ARGV[4])
for i = 1, #KEYS do
  if i < 3 or redis.call('PTTL', KEYS[i]) < tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[i], ARGV[1]) end
end
return 1`);

/** How many events a script looks at in one go. */
const CHUNK = 64;

/** Whether it is complete, its reader, whether there is a gap, and then sequences and data; or nothing if nothing is known of it. */
const READ = new Script(`
local state = redis.call('HMGET', KEYS[2], 'd', 'r')
if redis.call('EXISTS', KEYS[2]) == 0 then return false end
local after, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local reply = { 1, state[2] or '0', 0 }
local at, count = 0, 0
while true do
  local chunk = redis.call('LRANGE', KEYS[1], at, at + ${CHUNK} - 1)
  for i = 1, #chunk do
    local split = string.find(chunk[i], ' ', 1, true)
    local sequence = string.sub(chunk[i], 1, split - 1)
    if tonumber(sequence) > after then
      if count == limit then
        reply[1] = 0
        return reply
      end
      if count == 0 and tonumber(sequence) > after + 1 then reply[3] = 1 end
      count = count + 1
      reply[#reply + 1] = sequence
      reply[#reply + 1] = string.sub(chunk[i], split + 1)
    end
  end
  if #chunk < ${CHUNK} then break end
  at = at + ${CHUNK}
end
if not state[1] then reply[1] = 0 end
return reply`);

/** The number of the reader. The same takeover again gets the same. */
const TAKE_OVER = new Script(`
if redis.call('HGET', KEYS[1], 't') ~= ARGV[2] then
  redis.call('HINCRBY', KEYS[1], 'r', 1)
  redis.call('HSET', KEYS[1], 't', ARGV[2])
end
redis.call('SADD', KEYS[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
if redis.call('EXISTS', KEYS[3]) == 1 then redis.call('PEXPIRE', KEYS[3], ARGV[1]) end
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[2], ARGV[1]) end
return redis.call('HGET', KEYS[1], 'r')`);

const FORGET = new Script(`
redis.call('UNLINK', KEYS[1], KEYS[2])
return redis.call('SREM', KEYS[3], ARGV[1])`);

/** The log of events in Redis. */
export class RedisEvents implements EventLog {
  readonly #engine: Engine;
  readonly #names: Names;
  readonly #token: () => string;

  constructor(engine: Engine, names: Names, token: () => string) {
    this.#engine = engine;
    this.#names = names;
    this.#token = token;
  }

  async append(
    session: string,
    stream: string,
    events: readonly LoggedEvent[],
    {
      ttl,
      maxBytes,
      isLast,
    }: { readonly ttl: number; readonly maxBytes: number; readonly isLast?: boolean | undefined },
  ): Promise<void> {
    const kept = [wholeOf(ttl), Math.min(maxBytes, Number.MAX_SAFE_INTEGER), isLast === true ? 1 : 0, stream];
    const appended = events.flatMap(({ sequence, data }) => [sequence, data]);
    await this.#engine.run(APPEND, this.#names.stream(session, stream), [...kept, ...appended]);
  }

  async read(session: string, stream: string, after: number, limit: number): Promise<LoggedEvents | undefined> {
    const most = Math.min(limit, Number.MAX_SAFE_INTEGER);
    const reply = await this.#engine.run(READ, this.#names.stream(session, stream).slice(0, 2), [after, most]);
    return optionalTextOf(reply) === undefined ? undefined : readEvents(listOf(reply));
  }

  async takeOver(session: string, stream: string, ttl: number): Promise<number> {
    const [events, state, streams] = this.#names.stream(session, stream);
    return numberOf(await this.#engine.run(TAKE_OVER, [state, streams, events], [wholeOf(ttl), this.#token(), stream]));
  }

  async forget(session: string, stream: string): Promise<void> {
    await this.#engine.run(FORGET, this.#names.stream(session, stream), [stream]);
  }
}

/** Reads the reply of the script. */
export function readEvents([isComplete, reader, hasGap, ...pairs]: readonly unknown[]): LoggedEvents {
  const events: LoggedEvent[] = [];
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    events.push({ sequence: numberOf(pairs[index]), data: textOf(pairs[index + 1]) });
  }
  return { events, isComplete: numberOf(isComplete) === 1, hasGap: numberOf(hasGap) === 1, reader: numberOf(reader) };
}

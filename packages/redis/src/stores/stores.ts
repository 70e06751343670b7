import type { KeyStore, OnceStore, RateLimitStore, StoredKey } from "@toolwire/server/cluster";
import type { Engine } from "../engine/engine.ts";
import { expectKey, expectSize, type Names } from "../engine/names.ts";
import { listOf, numberOf, textOf } from "../engine/replies.ts";
import { Script } from "../engine/script.ts";
import { wholeOf } from "./sessions.ts";

/**
 * A bucket is the time at which it will be full again, in microseconds, and the call that took the latest token: the same call again takes no
 * other. A hundredth of a token makes up for sums of fractions.
 */
const TAKE = new Script(`
local now = redis.call('TIME')
now = now[1] * 1000000 + now[2]
local kept = redis.call('GET', KEYS[1]) or ''
local full, token = string.match(kept, '^(%d+) (.+)$')
if token == ARGV[3] then return 0 end
local window = ARGV[2] * 1000
local each = window / ARGV[1]
full = math.max(tonumber(full or 0), now) + each
local wait = full - now - window
if wait > each / 100 then return math.ceil(wait / 1000) end
local ttl = math.max(1, math.ceil((full - now) / 1000))
redis.call('SET', KEYS[1], string.format('%.0f', full) .. ' ' .. ARGV[3], 'PX', string.format('%.0f', ttl))
return 0`);

/** Counts requests in Redis. */
export class RedisLimits implements RateLimitStore {
  readonly #engine: Engine;
  readonly #names: Names;
  readonly #token: () => string;

  constructor(engine: Engine, names: Names, token: () => string) {
    this.#engine = engine;
    this.#names = names;
    this.#token = token;
  }

  async take(key: string, { limit, window }: { readonly limit: number; readonly window: number }): Promise<number> {
    return numberOf(await this.#engine.run(TAKE, [this.#names.limit(key)], [limit, window, this.#token()]));
  }
}

/** Whoever has claimed a key is told so again, because its reply may have been lost. */
const CLAIM = new Script(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('GET', KEYS[1]) == ARGV[1] then return 1 end
return 0`);

/** Keys that pass once. */
export class RedisOnce implements OnceStore {
  readonly #engine: Engine;
  readonly #names: Names;
  readonly #token: () => string;

  constructor(engine: Engine, names: Names, token: () => string) {
    this.#engine = engine;
    this.#names = names;
    this.#token = token;
  }

  async claim(key: string, ttl: number): Promise<boolean> {
    return numberOf(await this.#engine.run(CLAIM, [this.#names.once(key)], [this.#token(), wholeOf(ttl)])) === 1;
  }
}

/** How many keys a ring may have: many more than rotations need. */
const MAX_RING = 64;

/** The ring is a list of texts `id secret time`, the newest first. The time of the engine comes before it. */
const LIST = new Script(`
local now = redis.call('TIME')
local reply = redis.call('LRANGE', KEYS[1], 0, -1)
table.insert(reply, 1, string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)))
return reply`);

/** 1 if the key was added or was there, 0 if another is the newest, -1 if there are too many. */
const ADD = new Script(`
local keys = redis.call('LRANGE', KEYS[1], 0, -1)
for i = 1, #keys do
  local id, secret = string.match(keys[i], '^(%S+) (%S+) ')
  if id == ARGV[1] then return secret == ARGV[2] and 1 or 0 end
end
if (keys[1] and string.match(keys[1], '^%S+') or '') ~= ARGV[3] then return 0 end
if #keys >= ${MAX_RING} then return -1 end
local now = redis.call('TIME')
local added = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000))
redis.call('LPUSH', KEYS[1], ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. added)
return 1`);

const REMOVE = new Script(`
local keys = redis.call('LRANGE', KEYS[1], 0, -1)
for i = 1, #keys do
  if string.match(keys[i], '^%S+') == ARGV[1] then redis.call('LREM', KEYS[1], 1, keys[i]) end
end
return 1`);

/** The ring of keys in Redis. */
export class RedisKeys implements KeyStore {
  readonly #engine: Engine;
  readonly #names: Names;

  constructor(engine: Engine, names: Names) {
    this.#engine = engine;
    this.#names = names;
  }

  async list(): Promise<readonly (StoredKey & { readonly age: number })[]> {
    const [now, ...keys] = listOf(await this.#engine.run(LIST, [this.#names.ring]));
    return keys.map((key) => {
      const [id = "", secret = "", added] = textOf(key).split(" ");
      // The clock of an engine can be set back.
      return { id, secret, age: Math.max(0, numberOf(now) - Number(added)) };
    });
  }

  async add({ id, secret }: StoredKey, after: string | undefined): Promise<boolean> {
    const outcome = numberOf(
      await this.#engine.run(ADD, [this.#names.ring], [expectKey(id), expectKey(secret), after ?? ""]),
    );
    if (outcome < 0) expectSize("The ring of keys", MAX_RING + 1, MAX_RING);
    return outcome === 1;
  }

  async remove(id: string): Promise<void> {
    await this.#engine.run(REMOVE, [this.#names.ring], [expectKey(id)]);
  }
}

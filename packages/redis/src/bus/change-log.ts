import type { BusListener, ChangeBatch } from "@toolwire/server/cluster";
import type { Engine } from "../engine/engine.ts";
import { expectSize, MAX_ANNOUNCED, type Names } from "../engine/names.ts";
import { listOf, numberOf, textOf } from "../engine/replies.ts";
import { Script } from "../engine/script.ts";
import { CHANGES } from "./wire.ts";

/** How many changes are read at once. */
const MAX_BATCH = 1000;

/**
 * The log is a stream of Redis whose ids count from 1. The epoch is made with it: another log has another one, and so has the log of a
 * replica that took over, because that may lack the latest changes while it counts on from them.
 */
const ANNOUNCE = new Script(`
if not redis.call('SET', KEYS[3], 1, 'NX', 'PX', 30000) then return 0 end
if redis.call('HSETNX', KEYS[2], 'epoch', ARGV[2]) == 1 then redis.call('DEL', KEYS[1]) end
local latest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local last = latest[1] and tonumber(string.match(latest[1][1], '^%d+')) or 0
for i = 4, #ARGV do
  last = last + 1
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], string.format('%.0f-0', last), 'c', ARGV[i])
end
redis.call('PUBLISH', ARGV[3], '${CHANGES}')
return 1`);

/** The epoch, the latest position, 1 if changes after the given position are not known, and the changes. */
const READ = new Script(`
if redis.call('HSETNX', KEYS[2], 'epoch', ARGV[1]) == 1 then redis.call('DEL', KEYS[1]) end
local server = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)') or ''
local epoch = redis.call('HGET', KEYS[2], 'epoch') .. string.sub(server, 1, 8)
local latest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local last = latest[1] and tonumber(string.match(latest[1][1], '^%d+')) or 0
local after = tonumber(ARGV[3])
local reply = { epoch, string.format('%.0f', last), 1 }
if ARGV[2] ~= epoch or after > last then return reply end
local found = redis.call('XRANGE', KEYS[1], string.format('%.0f-0', after + 1), '+', 'COUNT', ARGV[4])
local first = found[1] and tonumber(string.match(found[1][1], '^%d+')) or last + 1
if first > after + 1 then return reply end
reply[3] = 0
for i = 1, #found do reply[3 + i] = found[i][2][2] end
return reply`);

interface Read {
  readonly epoch: string;
  readonly last: number;
  readonly isGap: boolean;
  readonly changes: readonly string[];
}

/** The log of changes in Redis, and how far this node has read it. */
export class RedisChangeLog {
  readonly #engine: Engine;
  readonly #names: Names;
  readonly #node: string;
  readonly #token: () => string;
  readonly #max: number;
  readonly #listeners: Set<BusListener>;
  #epoch = "";
  #position = 0;
  #reading: Promise<void> | undefined;
  #isStale = false;

  constructor(
    engine: Engine,
    names: Names,
    options: {
      readonly node: string;
      readonly token: () => string;
      readonly max: number;
      readonly listeners: Set<BusListener>;
    },
  ) {
    this.#engine = engine;
    this.#names = names;
    this.#node = options.node;
    this.#token = options.token;
    this.#max = options.max;
    this.#listeners = options.listeners;
  }

  /** Where this node stands. */
  get place(): string {
    return `${this.#epoch}.${this.#position}`;
  }

  /** Finds out where the log stands. */
  async open(): Promise<void> {
    const { epoch, last } = await this.#read("", 0, 1);
    this.#epoch = epoch;
    this.#position = last;
  }

  async append(changes: readonly string[]): Promise<void> {
    const length = changes.reduce((sum, change) => sum + change.length, 0);
    expectSize("What is announced at once", length, MAX_ANNOUNCED);
    if (changes.length === 0) return;
    const parameters = [this.#max, this.#node, this.#names.all, ...changes];
    await this.#engine.run(ANNOUNCE, this.#names.changes(this.#token()), parameters);
  }

  async after(place: string, limit: number): Promise<ChangeBatch | "gap"> {
    const [, epoch = "", digits = "0"] = /^([a-z0-9]{10,18})\.(\d{1,15})$/.exec(place) ?? [];
    const { isGap, changes } = await this.#read(epoch, Number(digits), Math.max(limit, 1));
    if (isGap) return "gap";
    const most = changes.slice(0, Math.max(limit, 0));
    return { changes: most, place: `${epoch}.${Number(digits) + most.length}` };
  }

  /** Reads on to the end, and tells the listeners. Once more, if that was asked for meanwhile. Rejects never. */
  catchUp(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      try {
        const { epoch, last, isGap, changes } = await this.#read(this.#epoch, this.#position, MAX_BATCH);
        if (isGap) {
          this.#epoch = epoch;
          this.#position = last;
          for (const listener of this.#listeners) listener.missed(this.place);
        } else if (changes.length > 0) {
          this.#position += changes.length;
          for (const listener of this.#listeners) listener.changes({ changes, place: this.place });
          this.#isStale ||= this.#position < last;
        }
      } catch {
        // Read again when the engine is back, or with the next pulse.
        return;
      }
    }
  }

  async #read(epoch: string, after: number, limit: number): Promise<Read> {
    const keys = this.#names.changes("").slice(0, 2);
    const count = Math.min(limit, MAX_BATCH);
    const [found, last, isGap, ...changes] = listOf(
      await this.#engine.run(READ, keys, [this.#node, epoch, after, count]),
    );
    return { epoch: textOf(found), last: numberOf(last), isGap: numberOf(isGap) === 1, changes: changes.map(textOf) };
  }
}

import { UsageError } from "@toolwire/protocol";
import type {
  NewSession,
  SessionChange,
  SessionRecord,
  SessionRoom,
  SessionStore,
  StreamHolder,
} from "@toolwire/server/cluster";
import type { Engine } from "../engine/engine.ts";
import { digestOf, expectKey, expectSize, MAX_FACTS, type Names } from "../engine/names.ts";
import { listOf, numberOf, optionalTextOf, textOf } from "../engine/replies.ts";
import { CLAIM, CREATE, END, GET, PROLONG, RELEASE, RESERVE, TOUCH, UPDATE } from "./session-scripts.ts";

const SAME_ID = "There is another session with this id. Make ids at random, so that nobody can guess them.";

/** How many bytes the URIs that one session watches may have together. */
const MAX_WATCHED = 256 * 1024;

/** Sessions in Redis. */
export class RedisSessions implements SessionStore {
  readonly #engine: Engine;
  readonly #names: Names;
  readonly #token: () => string;

  /** `token` makes a text that marks one call, which may reach the engine twice. */
  constructor(engine: Engine, names: Names, token: () => string) {
    this.#engine = engine;
    this.#names = names;
    this.#token = token;
  }

  async create(session: NewSession, ttl: number, room: SessionRoom): Promise<"created" | "full" | "fullOfClient"> {
    const { id, facts, client } = session;
    expectSize("What is known of a session", Buffer.byteLength(facts), MAX_FACTS);
    const limits = client === undefined ? [room.max] : [room.max, room.maxPerClient];
    const reserve = [digestOf(id), wholeOf(ttl), ...limits.map(limitOf)];
    const reserved = numberOf(await this.#engine.run(RESERVE, this.#names.rooms(client), reserve));
    if (reserved !== 1) return reserved === 0 ? "full" : "fullOfClient";
    const { record } = this.#names.session(id);
    const created = [facts, wholeOf(ttl), ...(client === undefined ? [] : [client])];
    if (numberOf(await this.#engine.run(CREATE, [record], created)) === 1) return "created";
    throw new UsageError("INVALID_ARGUMENT", SAME_ID);
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const { record } = this.#names.session(id);
    return readRecord(id, listOf(await this.#engine.run(GET, [record])).map(textOf));
  }

  async touch(id: string, ttl: number): Promise<boolean> {
    const { record } = this.#names.session(id);
    return this.#prolong(id, await this.#engine.run(TOUCH, [record], [wholeOf(ttl)]), wholeOf(ttl));
  }

  async update(id: string, { isReady, logLevel, watch, unwatch }: SessionChange): Promise<boolean> {
    const { record } = this.#names.session(id);
    const change = [isReady === true ? "1" : "", expectKey(logLevel ?? ""), watch ?? "", unwatch ?? "", MAX_WATCHED];
    const outcome = numberOf(await this.#engine.run(UPDATE, [record], change));
    if (outcome < 0) expectSize("What a session watches", MAX_WATCHED + 1, MAX_WATCHED);
    return outcome === 1;
  }

  async claim(
    id: string,
    { node, stream }: { readonly node: string; readonly stream: string },
  ): Promise<{ readonly fence: number; readonly previous?: StreamHolder | undefined } | undefined> {
    const { record } = this.#names.session(id);
    const reply = await this.#engine.run(CLAIM, [record], [expectKey(node), expectKey(stream), this.#token()]);
    if (optionalTextOf(reply) === undefined) return undefined;
    const [fence, before] = listOf(reply);
    const previous = readHolder(textOf(before));
    return { fence: numberOf(fence), ...(previous !== undefined && { previous }) };
  }

  async release(id: string, fence: number): Promise<void> {
    await this.#engine.run(RELEASE, [this.#names.session(id).record], [fence]);
  }

  async end(id: string): Promise<boolean> {
    const { record, base } = this.#names.session(id);
    const reply = await this.#engine.run(END, [record, `${base}t`, `${base}x`], [base, this.#token()]);
    return this.#prolong(id, reply, 0);
  }

  /** The room of a session is on another server of a cluster. If it cannot be told, the room ends by its own time. */
  async #prolong(id: string, reply: unknown, ttl: number): Promise<boolean> {
    if (!Array.isArray(reply)) return false;
    const rooms = this.#names.rooms(optionalTextOf(reply[0]));
    await this.#engine.run(PROLONG, rooms, [digestOf(id), ttl]).catch(() => {});
    return true;
  }
}

/** Reads the fields of a record. `undefined` if it has none. */
export function readRecord(id: string, reply: readonly string[]): SessionRecord | undefined {
  const fields = new Map<string, string>();
  for (let index = 0; index + 1 < reply.length; index += 2) fields.set(reply[index] ?? "", reply[index + 1] ?? "");
  const facts = fields.get("f");
  if (facts === undefined) return undefined;
  const [client, logLevel] = [fields.get("c"), fields.get("l")];
  const holder = readHolder(fields.get("h") ?? "");
  const watched = [...fields].filter(([name]) => name.startsWith("w"));
  return {
    id,
    facts,
    ...(client !== undefined && { client }),
    isReady: fields.has("r"),
    ...(logLevel !== undefined && { logLevel }),
    watched: watched.toSorted(([, one], [, other]) => Number(one) - Number(other)).map(([name]) => name.slice(1)),
    ...(holder !== undefined && { holder }),
  };
}

function readHolder(text: string): StreamHolder | undefined {
  const [, node = "", fence, stream = ""] = /^(\S+) (\d+) (.*)$/s.exec(text) ?? [];
  return fence === undefined ? undefined : { node, stream, fence: Number(fence) };
}

/** Redis takes whole milliseconds, and at least one. */
export function wholeOf(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 1), 2 ** 43);
}

function limitOf(limit: number): number {
  return Math.min(limit, Number.MAX_SAFE_INTEGER);
}

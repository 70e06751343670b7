import type { TaskRecord } from "@toolwire/server/tasks";
import type { Engine } from "../engine/engine.ts";
import { listOf, numberOf, optionalTextOf, textOf } from "../engine/replies.ts";
import type { TaskHints } from "./hints.ts";
import { digestOf, type TaskNames } from "./names.ts";
import { COUNT, DELETE, DUE, LIST, WRITE } from "./scripts.ts";

/** What comes between the id of a task and its digest in the list of its caller. */
const END_OF_ID = "\u0000";

/** Tasks in Redis. */
export class StoredTasks {
  readonly #engine: Engine;
  readonly #names: TaskNames;
  readonly #hints: TaskHints;
  readonly #token: () => string;

  /** `token` makes a text that marks one call, which may reach the engine twice. */
  constructor(engine: Engine, names: TaskNames, hints: TaskHints, token: () => string) {
    this.#engine = engine;
    this.#names = names;
    this.#hints = hints;
    this.#token = token;
  }

  create(record: TaskRecord): Promise<boolean> {
    return this.#write(record, "");
  }

  async read(id: string): Promise<TaskRecord | undefined> {
    const key = this.#names.record(id);
    const [columns, body] = listOf(await this.#engine.call(key, ["HMGET", key, "c", "b"]));
    return optionalTextOf(columns) === undefined ? undefined : readRecord(columns, body);
  }

  replace(record: TaskRecord, ifVersion: number): Promise<boolean> {
    return this.#write(record, String(ifVersion));
  }

  async delete(id: string): Promise<void> {
    const { base, channel, due, open } = this.#names;
    const digest = digestOf(id);
    const keys = [this.#names.record(id), due, open];
    await this.#engine.run(DELETE, keys, [digest, base, channel, this.#hints.changeOf(digest)]);
    this.#hints.changed(digest);
  }

  async due(now: number, limit: number): Promise<readonly string[]> {
    const { base, due } = this.#names;
    const found = listOf(await this.#engine.run(DUE, [due], [base, now, limit]));
    return found.map((columns) => readRecord(columns, "").id);
  }

  async count(owner: string | null): Promise<{ readonly owner: number; readonly all: number }> {
    const keys = [this.#names.open, this.#names.openOf(owner)];
    const [own, all] = listOf(await this.#engine.run(COUNT, keys));
    return { owner: numberOf(own), all: numberOf(all) };
  }

  async list(owner: string | null, after: string | undefined, limit: number): Promise<readonly TaskRecord[]> {
    const parameters = [this.#names.base, after ?? "", limit];
    const found = listOf(await this.#engine.run(LIST, [this.#names.listOf(owner)], parameters));
    const records: TaskRecord[] = [];
    for (let index = 0; index + 1 < found.length; index += 2) records.push(readRecord(found[index], found[index + 1]));
    return records;
  }

  async #write(record: TaskRecord, ifVersion: string): Promise<boolean> {
    const { body, ...columns } = record;
    const { id, version, owner, expires, wake, isOver } = columns;
    const { base, channel, due, open } = this.#names;
    const digest = digestOf(id);
    const dueAt = Math.min(wake ?? Infinity, expires ?? Infinity);
    const keys = [this.#names.record(id), due, open, this.#names.openOf(owner), this.#names.listOf(owner)];
    const outcome = await this.#engine.run(WRITE, keys, [
      ifVersion,
      this.#token(),
      version,
      JSON.stringify(columns),
      body,
      digest,
      digestOf(owner),
      id + END_OF_ID + digest,
      expires ?? "",
      dueAt === Infinity ? "" : dueAt,
      isOver ? "" : "1",
      base,
      channel,
      this.#hints.changeOf(digest),
    ]);
    const isWritten = numberOf(outcome) === 1;
    if (isWritten) this.#hints.changed(digest);
    return isWritten;
  }
}

function readRecord(columns: unknown, body: unknown): TaskRecord {
  return { ...(JSON.parse(textOf(columns)) as Omit<TaskRecord, "body">), body: textOf(body) };
}

/** What a server tells its clients about, and how that is written for other nodes of a cluster. */
import type { JsonValue } from "@toolwire/protocol";

/** The name of a list that can change. */
export type ListName = "tools" | "prompts" | "resources";

/** A resource whose contents have changed. */
export interface ResourceChange {
  readonly uri: string;
  /** The caller that the change concerns; absent if it concerns all. The `id` of callers without authentication is `undefined`. */
  readonly only?: { readonly id: string | undefined } | undefined;
}

/** An event of a topic that an extension has added; without an event, some may have been missed. */
export interface TopicChange {
  readonly topic: string;
  readonly event?: JsonValue | undefined;
}

/** A change of a list, or of the contents of a resource, or an event of an extension. */
export type Change = { readonly list: ListName } | ResourceChange | TopicChange;

/** Stands for changes that are too many or too long to be listed: every listener is told all that it may want to know. */
export const ANYTHING = "anything";

/** The most characters of a change in the log that nodes share. */
const MAX_ENTRY_LENGTH = 8192;

/** The form of entries. Nodes of other versions may write others, which are not understood here. */
const FORMAT = 1;

/**
 * Writes an entry of the log. Several servers may write to one log, so it begins with the name of the server. A change that would
 * be too long becomes {@link ANYTHING}.
 */
export function encodeChange(server: string, change: Change | typeof ANYTHING): string {
  const text = JSON.stringify([FORMAT, server, ...fieldsOf(change)]);
  return text.length <= MAX_ENTRY_LENGTH ? text : JSON.stringify([FORMAT, server]);
}

function fieldsOf(change: Change | typeof ANYTHING): readonly unknown[] {
  if (change === ANYTHING) return [];
  if ("list" in change) return [change.list];
  if ("topic" in change) return ["topic", change.topic, change.event];
  return change.only === undefined ? ["uri", change.uri] : ["uri", change.uri, change.only.id ?? null];
}

/** Reads an entry of the log. `undefined` if it is of another server, or not understood. */
export function decodeChange(server: string, entry: unknown): Change | typeof ANYTHING | undefined {
  const fields = parse(entry);
  if (!Array.isArray(fields) || fields[0] !== FORMAT || fields[1] !== server) return undefined;
  const [, , kind, uri, caller] = fields as readonly unknown[];
  switch (fields.length) {
    case 2:
      return ANYTHING;
    case 3:
      return kind === "tools" || kind === "prompts" || kind === "resources" ? { list: kind } : undefined;
    case 4:
      return kind === "uri" && typeof uri === "string" ? { uri } : undefined;
    case 5:
      if (kind === "topic" && typeof uri === "string") return { topic: uri, event: caller as JsonValue };
      if (kind !== "uri" || typeof uri !== "string") return undefined;
      if (caller !== null && typeof caller !== "string") return undefined;
      return { uri, only: { id: caller ?? undefined } };
    default:
      return undefined;
  }
}

function parse(entry: unknown): unknown {
  if (typeof entry !== "string" || entry.length > MAX_ENTRY_LENGTH) return undefined;
  try {
    return JSON.parse(entry) as unknown;
  } catch {
    return undefined;
  }
}

/** Changes, each once. */
export class DistinctChanges {
  readonly #byText = new Map<string, Change>();

  constructor(changes: Iterable<Change> = []) {
    for (const change of changes) this.add(change);
  }

  get isEmpty(): boolean {
    return this.#byText.size === 0;
  }

  add(change: Change): void {
    this.#byText.set(JSON.stringify(change), change);
  }

  /** Takes all of them out, without those for one caller that are for all callers as well. */
  take(): Change[] {
    const changes = [...this.#byText.values()].filter((change) => !this.#isForAll(change));
    this.#byText.clear();
    return changes;
  }

  #isForAll(change: Change): boolean {
    return "uri" in change && change.only !== undefined && this.#byText.has(JSON.stringify({ uri: change.uri }));
  }
}

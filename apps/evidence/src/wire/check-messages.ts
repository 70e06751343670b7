import type { SentMessage, Side } from "./decode/messages.ts";
import type { RevisionSchema } from "./schema/revision-schema.ts";

/** The findings of a check of recorded messages. */
export interface WireReport {
  /** How many messages were checked, by revision. */
  readonly checked: ReadonlyMap<string, number>;
  readonly problems: readonly string[];
}

type Fields = { readonly [field: string]: unknown };

interface SentRequest {
  readonly method: string;
  readonly revision: string;
  /** Whether it asks for a task, which is another result (2025-11-25). */
  readonly isTask: boolean;
}

const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
/** The methods of tasks: in 2025-11-25, and in the extension that took their place and kept some of the names. */
const TASKS = /^(?:notifications\/)?tasks\b/;

/**
 * Checks every message that one side sent against the schema of the revision it belongs to: the one its request names in
 * `_meta` (modern), or the one that was agreed on in the handshake (legacy).
 */
export function checkMessages(
  messages: readonly SentMessage[],
  side: Side,
  schemas: ReadonlyMap<string, RevisionSchema>,
): WireReport {
  const check = new WireCheck(messages.flatMap(unbatch), schemas);
  return check.run(side);
}

class WireCheck {
  readonly #messages: readonly SentMessage[];
  readonly #schemas: ReadonlyMap<string, RevisionSchema>;
  readonly #newest: string;
  /** The revision of the handshake, by scope. */
  readonly #agreed = new Map<string, string>();
  /** By scope, sender and id. */
  readonly #requests = new Map<string, SentRequest>();
  readonly #checked = new Map<string, number>();
  readonly #problems: string[] = [];

  constructor(messages: readonly SentMessage[], schemas: ReadonlyMap<string, RevisionSchema>) {
    this.#messages = messages;
    this.#schemas = schemas;
    this.#newest = [...schemas.keys()].toSorted().at(-1) ?? "";
  }

  run(side: Side): WireReport {
    this.#findHandshakes();
    this.#findRequests();
    for (const sent of this.#messages) if (sent.sender === side) this.#check(sent);
    return { checked: this.#checked, problems: this.#problems };
  }

  #findHandshakes(): void {
    for (const { message, scope } of this.#messages) {
      const result = fieldsOf(fieldsOf(message)["result"]);
      if (typeof result["protocolVersion"] === "string") this.#agreed.set(scope, result["protocolVersion"]);
    }
  }

  #findRequests(): void {
    for (const sent of this.#messages) {
      const { method, id, params } = fieldsOf(sent.message);
      if (typeof method !== "string" || id === undefined) continue;
      // Version 1 of the official SDK repeats `task` in its questions about the task.
      const isTask = fieldsOf(params)["task"] !== undefined && !TASKS.test(method);
      this.#requests.set(key(sent.scope, sent.sender, id), { method, revision: this.#revisionOf(sent), isTask });
    }
  }

  #check(sent: SentMessage): void {
    const fields = fieldsOf(sent.message);
    if (!sent.isJson) return this.#report(sent, "?", ["is not JSON"]);
    const { method, id } = fields;
    if (typeof method === "string") {
      const revision = this.#revisionOf(sent);
      return this.#report(sent, revision, this.#checkCall(revision, method, fields));
    }
    const request = this.#requests.get(key(sent.scope, sent.sender === "client" ? "server" : "client", id));
    const revision = request?.revision ?? this.#revisionOf(sent);
    const schema = this.#schemas.get(revision);
    if (schema === undefined) return this.#report(sent, revision, []);
    if ("error" in fields) {
      // The body of an HTTP error may have no id (2025-03-26, transports), which no schema before 2025-11-25 says.
      return this.#report(sent, revision, schema.checkError({ id: 0, ...fields, error: fields["error"] }));
    }
    if (request === undefined) return this.#report(sent, revision, ["answers no request"]);
    const response = { ...fields, result: fields["result"] };
    return this.#report(sent, revision, schema.checkResult(request.method, response, request.isTask));
  }

  #checkCall(revision: string, method: string, message: Fields): string[] {
    const schema = this.#schemas.get(revision);
    if (schema === undefined) return [];
    const isOfExtension = TASKS.test(method) && declaresTasks(message);
    const isOfAnother =
      !isOfExtension && !schema.knows(method) && [...this.#schemas.values()].some((other) => other.knows(method));
    return [
      ...(isOfAnother ? [`has the method ${method}, which ${revision} does not have`] : []),
      ...schema.checkCall(method, message),
    ];
  }

  #revisionOf({ message, scope, header }: SentMessage): string {
    const { method, params } = fieldsOf(message);
    const named = fieldsOf(fieldsOf(params)["_meta"])[PROTOCOL_VERSION];
    const proposed = method === "initialize" ? fieldsOf(params)["protocolVersion"] : undefined;
    const candidates = [named, proposed, header, this.#agreed.get(scope)];
    return candidates.find((revision): revision is string => this.#schemas.has(revision as string)) ?? this.#newest;
  }

  #report(sent: SentMessage, revision: string, problems: readonly string[]): void {
    this.#checked.set(revision, (this.#checked.get(revision) ?? 0) + 1);
    const text = sent.isJson ? JSON.stringify(sent.message) : String(sent.message);
    for (const problem of problems) {
      this.#problems.push(`${sent.scope}: ${sent.sender}'s message (${revision}) ${problem}: ${text.slice(0, 300)}`);
    }
  }
}

/** Members of a batch, which only 2025-03-26 has, are messages of their own. */
function unbatch(sent: SentMessage): SentMessage[] {
  return Array.isArray(sent.message) ? sent.message.map((message: unknown) => ({ ...sent, message })) : [sent];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** Whether a request of 2026-07-28 declares the extension for tasks. */
function declaresTasks(message: Fields): boolean {
  const capabilities = fieldsOf(fieldsOf(fieldsOf(message["params"])["_meta"])[CLIENT_CAPABILITIES]);
  return fieldsOf(capabilities["extensions"])["io.modelcontextprotocol/tasks"] !== undefined;
}

function key(scope: string, sender: Side, id: unknown): string {
  return JSON.stringify([scope, sender, id]);
}

import type { ErrorMessage, MalformedMessage, Message } from "@toolwire/protocol";
import { ToolwireError } from "@toolwire/protocol";
import { type Clearing, createClearing } from "@toolwire/protocol/internal";
import type { HeadersNow } from "./http/headers.ts";

/** Header fields that carry no credentials. Those that begin with `mcp-` repeat the message; the id of a session is a secret. */
const HARMLESS =
  /^(accept(-[a-z]+)?|cache-control|connection|content-(length|type)|host|last-event-id|mcp-(?!session-id$).*|origin|pragma|referer|traceparent|tracestate|user-agent|x-(correlation|request)-id)$/;

/** Fields that name their scheme before the credentials. */
const WITH_SCHEME: ReadonlySet<string> = new Set(["authorization", "proxy-authorization"]);

/** Methods that servers use. They are not looked through: there are many of them. */
const USUAL_METHOD = /^(notifications|sampling|elicitation|roots|ping)[a-z_/]{0,40}$/;

/** The shortest value of a field of the application that counts as a credential: others are ordinary words. */
const MIN_OTHER = 8;

/** How many sets of credentials are remembered. Proofs of keys differ for every request. */
const MAX_REMEMBERED = 32;

/** A transport that sends credentials, and clears them from a text that somebody higher up is about to quote. */
export interface SendsSecrets {
  clear(text: string): string;
}

/**
 * The credentials that were sent to a server. It may repeat them in errors, and errors end up in logs, so they are cleared from
 * whatever a server says before it becomes an error or a diagnostic.
 */
export class SentSecrets implements SendsSecrets {
  readonly #sets: HeadersNow[] = [];
  readonly #texts = new Set<string>();
  #clearing: Clearing | undefined;

  /** Remembers a URL, whose user info and query may be credentials. */
  seeUrl({ username, password, searchParams }: URL): void {
    for (const part of [decode(username), decode(password), ...searchParams.values()]) {
      if (part.length >= MIN_OTHER) this.#texts.add(part);
    }
    this.#clearing = undefined;
  }

  /** Remembers the fields of a request. Returns those that have the same credentials: most requests share them. */
  see(headers: HeadersNow): HeadersNow {
    const last = this.#sets.at(-1);
    if (last !== undefined && hasSameSecrets(headers, last)) return last;
    this.#sets.push(headers);
    if (this.#sets.length > MAX_REMEMBERED) this.#sets.shift();
    this.#clearing = undefined;
    return headers;
  }

  /** Puts `[secret]` in the place of every credential in a text. `headers` are those of one request, if they are known. */
  clear(text: string, headers?: HeadersNow): string {
    this.#clearing ??= createClearing([...this.#texts, ...this.#sets.flatMap(secretsOf)]);
    const cleared = this.#clearing.text(text);
    // Those of a request that takes long may be forgotten by now.
    return headers === undefined || this.#sets.includes(headers)
      ? cleared
      : createClearing(secretsOf(headers)).text(cleared);
  }

  /** Clears a message of what a program could log: an error, a method or an id. Results stay as they are. */
  clearMessage<T extends Message | MalformedMessage>(message: T, headers?: HeadersNow): T {
    const clear = (text: string): string => this.clear(text, headers);
    if (message instanceof Error) return this.clearError(message, headers);
    const { id, method, error } = message as {
      readonly id?: unknown;
      readonly method?: unknown;
    } & Partial<ErrorMessage>;
    const cleared = {
      ...(typeof id === "string" && { id: clear(id) }),
      ...(typeof method === "string" && !USUAL_METHOD.test(method) && { method: clear(method) }),
      ...(error !== undefined && { error: clearJson(error, clear) }),
    };
    return Object.keys(cleared).length === 0 ? message : Object.assign({}, message, cleared);
  }

  /** Clears an error of the SDK, or of the platform, and its causes. */
  clearError<T extends Error>(error: T, headers?: HeadersNow): T {
    return clearError(error, (text) => this.clear(text, headers));
  }
}

/** Whether two requests have the same fields, but for those that carry no credentials. */
function hasSameSecrets(one: HeadersNow, other: HeadersNow): boolean {
  const differs = (name: string): boolean => one[name] !== other[name] && !HARMLESS.test(name);
  return !Object.keys(one).some(differs) && !Object.keys(other).some(differs);
}

/** The credentials in the fields of a request. */
function secretsOf(headers: HeadersNow): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (HARMLESS.test(name)) return [];
    if (name === "cookie") return value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf("=") + 1));
    const blank = value.indexOf(" ");
    const rest = blank < 0 ? [] : [value.slice(blank + 1)];
    if (!WITH_SCHEME.has(name)) return [value, ...rest].filter(({ length }) => length >= MIN_OTHER);
    // Parameters, as those of signatures, are credentials as well.
    const parameters = value.split(/[\s,;"=]+/).filter(({ length }) => length > 2 * MIN_OTHER);
    return [blank < 0 ? value : rest[0]!, ...parameters, ...readBasic(value)];
  });
}

/** The user name and the password of Basic authentication, together and the password alone. */
function readBasic(value: string): string[] {
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(value)?.[1];
  if (encoded === undefined) return [];
  try {
    const pair = new TextDecoder().decode(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)));
    const password = pair.slice(pair.indexOf(":") + 1);
    // Clients of OAuth encode both as in a form (RFC 6749, 2.3.1).
    return [pair, password, new URLSearchParams(`_=${password}`).get("_")!];
  } catch {
    return [];
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Copies a JSON value with all its texts cleared. It may be nested deeper than any stack. */
function clearJson<T>(value: T, clear: (text: string) => string): T {
  const root: { value?: unknown } = {};
  const open: (readonly [into: object, key: string, value: unknown])[] = [[root, "value", value]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [into, key, item] = next;
    let copy: unknown = typeof item === "string" ? clear(item) : item;
    if (typeof item === "object" && item !== null) {
      const target: object = Array.isArray(item) ? [] : {};
      copy = target;
      // The last one first, so that members keep their order.
      for (const [name, member] of Object.entries(item).toReversed()) {
        open.push([target, Array.isArray(item) ? name : clear(name), member]);
      }
    }
    Object.defineProperty(into, key, { value: copy, enumerable: true, configurable: true, writable: true });
  }
  return root.value as T;
}

/** How many values of an error are looked through. */
const MAX_VALUES = 1000;

function clearError<T>(error: T, clear: (text: string) => string, depth = 0): T {
  if (!(error instanceof Error) || depth > 8) return error;
  if (error instanceof ToolwireError) {
    // Made for this failure alone.
    const known = error as { cause?: unknown; challenge?: unknown };
    for (const name of ["message", "stack"] as const) {
      const text = error[name];
      if (typeof text === "string" && clear(text) !== text) error[name] = clear(text);
    }
    const cause = clearError(known.cause, clear, depth + 1);
    if (cause !== known.cause) known.cause = cause;
    return error;
  }
  return holdsSecret(error, clear) ? (copyOf(error, clear, depth) as Error as T) : error;
}

/** A copy of an error of the platform, without its objects: they may be whole responses. */
function copyOf(error: Error, clear: (text: string) => string, depth: number): Error {
  const cause = clearError(error.cause, clear, depth + 1);
  const copy = new Error(clear(error.message), cause instanceof Error ? { cause } : {});
  for (const name of new Set(["name", "stack", ...Object.keys(error)])) {
    const value: unknown = (error as unknown as Record<string, unknown>)[name];
    const kept = typeof value === "string" ? clear(value) : value;
    if (name === "cause" || name === "message" || typeof kept === "object" || typeof kept === "function") continue;
    Object.defineProperty(copy, name, {
      value: kept,
      configurable: true,
      writable: true,
      enumerable: name !== "stack",
    });
  }
  return copy;
}

/** Whether anything that a log could show of an error holds a credential. */
function holdsSecret(error: Error, clear: (text: string) => string): boolean {
  const seen = new Set<unknown>();
  const open: unknown[] = [error];
  for (let item = open.pop(); item !== undefined && seen.size < MAX_VALUES; item = open.pop()) {
    const text = item instanceof Uint8Array ? new TextDecoder().decode(item) : item;
    if (typeof text === "string" && clear(text) !== text) return true;
    if (typeof text !== "object" || text === null || seen.has(text)) continue;
    seen.add(text);
    if (text instanceof Error) open.push(text.message, text.stack, text.cause);
    for (const value of Object.values(text) as readonly unknown[]) if (value !== undefined) open.push(value);
  }
  return false;
}

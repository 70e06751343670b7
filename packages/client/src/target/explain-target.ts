import { isObject } from "@toolwire/protocol/internal";
import { UsageError } from "@toolwire/protocol";
import { maskUrl } from "../server-url.ts";

/** Advice that the compiler shows where something else is given. Nothing has this type. */
export interface Advice<Text extends string> {
  /** The advice. */
  readonly "~advice": Text;
}

/**
 * Values that are often passed to `connect()` by mistake. The type exists for the compiler's messages: the compiler refuses
 * each of these with advice, as `connect()` does at run time.
 */
export type MistakenTarget = ObjectWithUrl | ObjectWithTransport | TransportOfOfficialSdk;

interface ObjectWithUrl {
  /** @deprecated Pass the URL itself: `connect(url, options)`. */
  readonly url: Advice<"Pass the URL itself: connect(url, options)">;
  readonly type?: unknown;
  readonly headers?: unknown;
}

interface ObjectWithTransport {
  /** @deprecated Pass the transport itself: `connect(transport, options)`. */
  readonly transport: Advice<"Pass the transport itself: connect(transport, options)">;
}

interface TransportOfOfficialSdk {
  /** @deprecated Transports of the official SDK do not fit here: pass the URL or the command. */
  readonly start: Advice<"Transports of the official SDK do not fit: pass the URL or the command">;
  readonly send: unknown;
  readonly close: unknown;
}

/** The kinds of targets. */
const FORMS =
  "A target is a URL (http, https, ws, wss), { command, args }, a transport, or a function that makes one: connect(target, options).";

/** Options by which an object is recognised as the second argument. */
const OPTIONS = [
  "http",
  "websocket",
  "headers",
  "fetch",
  "middleware",
  "elicitation",
  "sampling",
  "era",
  "revision",
  "timeout",
  "info",
];

/** File names of programs, which are more likely than hosts of such a name. */
const PROGRAM = /\.(?:[cm]?[jt]s|py|rb|sh|exe|jar)$/i;

/** An address that lacks its scheme, and whether it is on this machine. */
const ADDRESS = /^(?:(localhost|127(?:\.\d+){3}|\[::1\])|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?=[/?#]|$)/i;

/** The error for a value that is no target. */
export function explainTarget(target: unknown): UsageError {
  return new UsageError("INVALID_ARGUMENT", `${nameMistake(target)} ${FORMS}`);
}

/** The error for a function that returned something else than a transport. */
export function explainMade(made: unknown): UsageError {
  const problem = isObject(made)
    ? nameObject(made)
    : `The function returned ${made === undefined || made === null ? "nothing" : `a ${typeof made}`}, and no transport.`;
  return new UsageError("INVALID_ARGUMENT", `${problem} ${FORMS}`);
}

function nameMistake(target: unknown): string {
  if (target === undefined || target === null) return "There is no target.";
  if (typeof target === "string") return nameText(target);
  if (Array.isArray(target)) {
    const [command] = target as unknown[];
    return typeof command === "string" ? asCommand(command) : "It is an array.";
  }
  if (!isObject(target)) return `It is a ${typeof target}.`;
  return nameObject(target);
}

/** Describes a text. Does not repeat its query, credentials or arguments of a program: they may be secrets. */
function nameText(text: string): string {
  const shown = maskUrl(text);
  const [program = "", ...args] = text.trim().split(/\s+/);
  if (args.length > 0) return `${JSON.stringify(program)} with arguments is no URL. ${asCommand(program)}`;
  if (PROGRAM.test(text)) {
    return `${JSON.stringify(shown)} is no URL. If it is a program, name what runs it: { command, args }.`;
  }
  const address = ADDRESS.exec(text);
  if (address === null) return `${JSON.stringify(shown)} is no such URL.`;
  const scheme = address[1] === undefined ? "https" : "http";
  return `${JSON.stringify(shown)} has no scheme. Did you mean ${JSON.stringify(`${scheme}://${shown}`)}?`;
}

function nameObject(target: { readonly [key: string]: unknown }): string {
  const has = (name: string): boolean => typeof target[name] === "function";
  const { name: kind } = (target.constructor ?? Object) as { readonly name: string };
  if (has("then")) return "It is a promise: await it first.";
  if (has("start") && has("send")) {
    return (
      `${kind} is a transport of the official SDK, which does not fit here. ` +
      "Pass the URL or the command that it was made with."
    );
  }
  if (has("send") || has("exchange")) return "A transport has `open` and `close`, too; this object does not.";
  if ("mcpServers" in target) {
    return "Connect to each entry of `mcpServers` by itself: by its `url`, or by its `command` and `args`.";
  }
  if ("url" in target) {
    return "headers" in target
      ? "It is an object with a `url`. Pass the URL itself, and headers as an option: connect(url, { http: { headers } })."
      : "It is an object with a `url`. Pass the URL itself: connect(url, options).";
  }
  if ("transport" in target) {
    return "It is an object with a `transport`. Pass the transport itself: connect(transport, options).";
  }
  if (OPTIONS.some((option) => option in target)) return "Options are the second argument: connect(target, options).";
  return kind === "Object" ? "It is an object of another kind." : `It is a ${kind}.`;
}

function asCommand(command: string): string {
  return `A program is an object: { command: ${JSON.stringify(command)}, args: [...] }.`;
}

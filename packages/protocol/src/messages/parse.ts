import { ErrorCode } from "../errors.ts";
import type { RequestId } from "../model/basic.ts";
import { isObject } from "../model/json.ts";
import { MalformedMessage } from "./errors.ts";
import type { Message } from "./message.ts";
import { escapeUnprintable } from "./quote.ts";

/** The contents of one text: a message, or a batch of them (which only revision 2025-03-26 allows). */
export type Parsed = Message | readonly (Message | MalformedMessage)[];

/** The most messages that one batch may hold. A longer batch is refused as a whole. */
export const MAX_BATCH = 256;

/** The error message for a batch in a revision that has none. */
export const NO_BATCH = "Batches are part of revision 2025-03-26 only; send one message at a time.";

/** The error message for an object that is neither a request nor a response. */
const ONE_OF_THREE = "A message has exactly one of `method`, `result` and `error`.";

/**
 * Parses text that may hold a batch. Members of a batch that are not messages come back in their place as
 * {@link MalformedMessage}, so that each can be answered; all of them do if no batch is allowed. Throws one if the text as
 * a whole is unusable.
 */
export function parseMessages(text: string, allowsBatch = true): Parsed {
  const value = parseJson(text);
  if (!Array.isArray(value)) return readMessage(value);
  if (value.length === 0) throw invalid("An empty batch holds no message.");
  if (value.length > MAX_BATCH) throw invalid(`A batch holds at most ${MAX_BATCH} messages, this one ${value.length}.`);
  return value.map((item) => {
    if (Array.isArray(item)) return invalid("A batch cannot hold batches.");
    try {
      const message = readMessage(item);
      // With its id, so that its sender gets an error, or its request fails.
      return allowsBatch ? message : invalid(NO_BATCH, (item as Envelope)["id"], "method" in message);
    } catch (error) {
      return error as MalformedMessage;
    }
  });
}

/** Parses the text of exactly one message, or throws a {@link MalformedMessage} that says what is wrong with it. */
export function parseMessage(text: string): Message {
  return readMessage(parseJson(text));
}

/**
 * Checks that a JSON value is a message, without copying it, unless its `params` are null, which counts as absent. Throws
 * a {@link MalformedMessage} otherwise.
 */
export function readMessage(value: unknown): Message {
  if (!isObject(value)) {
    throw invalid(Array.isArray(value) ? NO_BATCH : `A message must be an object, but is ${nameOf(value)}.`);
  }
  const answers = "result" in value || "error" in value;
  if (value["method"] === undefined && answers) return readResponse(value);
  if (value["method"] !== undefined && !answers) return readCall(value);
  throw invalid(ONE_OF_THREE, value["id"]);
}

function readCall(value: Envelope): Message {
  const { id, method, params } = value;
  // Checks the id first, so that all other errors can be answered with it.
  if ("id" in value && !isId(id)) {
    throw invalid(`\`id\` must be a string or an integer, but is ${nameOf(id)}.`);
  }
  if (value["jsonrpc"] !== "2.0") throw invalid('`jsonrpc` must be exactly "2.0".', id);
  if (typeof method !== "string") throw invalid(`\`method\` must be a string, but is ${nameOf(method)}.`, id);
  // Some clients write null for absent members.
  if (params === null) return readCall({ ...value, params: undefined });
  if (params !== undefined && !isObject(params)) {
    throw invalid(`\`params\` must be an object, but is ${nameOf(params)}.`, id);
  }
  return value as unknown as Message;
}

function readResponse(value: Envelope): Message {
  const { id, result, error } = value;
  // The id is ignored: this may be a line of a log that has an `id` and an `error`, too.
  if (value["jsonrpc"] !== "2.0") throw broken('`jsonrpc` must be exactly "2.0".');
  if ("result" in value) {
    if ("error" in value) throw broken(ONE_OF_THREE, id);
    if (!isId(id)) throw broken(`\`id\` must be a string or an integer, but is ${nameOf(id)}.`, id);
    if (!isObject(result)) throw broken(`\`result\` must be an object, but is ${nameOf(result)}.`, id);
    return value as unknown as Message;
  }
  if (!isObject(error) || !Number.isInteger(error["code"]) || typeof error["message"] !== "string") {
    throw broken(`\`error\` must have an integer \`code\` and a string \`message\`, but is ${quote(error)}.`, id);
  }
  if (id === undefined || isId(id)) return value as unknown as Message;
  // JSON-RPC says null, MCP says absent, when the request's id could not be read.
  if (id === null) return { jsonrpc: "2.0", error: error as unknown as { code: number; message: string } };
  throw broken(`\`id\` must be a string or an integer, but is ${nameOf(id)}.`, id);
}

/** Whether a value can be an id. Integers beyond 2^53 cannot be sent back unchanged, so they are refused. */
export function isId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

type Envelope = { readonly [key: string]: unknown };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Platforms quote the text at the position of the error, unescaped.
    const problem = escapeUnprintable((cause as Error).message);
    throw new MalformedMessage(ErrorCode.ParseError, `This is not JSON: ${problem}`, { cause });
  }
}

function invalid(message: string, id?: unknown, mayAnswer = true): MalformedMessage {
  return new MalformedMessage(ErrorCode.InvalidRequest, message, { id: isId(id) ? id : undefined, mayAnswer });
}

function broken(message: string, id?: unknown): MalformedMessage {
  return invalid(message, id, false);
}

/** Shows an invalid error object of a peer, to help find its cause. It is untrusted: quoted and cut. */
function quote(words: unknown): string {
  try {
    return JSON.stringify(words).slice(0, 300);
  } catch {
    return nameOf(words);
  }
}

/** The kind of a value in words. It never repeats the value. */
export function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number" && !isId(value)) return value % 1 ? "a fractional number" : "an integer beyond 2^53";
  return value === undefined ? "missing" : `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}

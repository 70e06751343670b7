import { AuthError, ProtocolViolation, type Client, type RequestOptions } from "@toolwire/client";
import { LOGGING_LEVELS, MetaKey, type InputRequiredResult } from "@toolwire/protocol";
import { type Clearing, createClearing, isObject } from "@toolwire/protocol/internal";
import {
  RpcError,
  ToolError,
  TransportError,
  type ClientCapabilities,
  type Context,
  type LoggingLevel,
  type Meta,
} from "@toolwire/server";
import { askCaller } from "./ask-caller.ts";
import { askableOf } from "./capabilities.ts";
import type { KeptConnection } from "./kept-connection.ts";
import type { Leases } from "./leases.ts";
import { cleanWords } from "./listing-text.ts";
import { hashText } from "./names.ts";

/** The requests of callers that are relayed to upstreams. All of them may ask the caller something. */
export type RelayedMethod = "tools/call" | "resources/read" | "prompts/get";

/** How often an upstream may ask for input during one request. */
const MAX_ROUNDS = 10;

/** How many questions it may ask at once. */
const MAX_QUESTIONS = 100;

/** The longest key of a question that is used as it is. */
const MAX_KEY = 100;

/** The way to an upstream, and what is known of it. */
export interface RelayTarget {
  readonly upstream: string;
  readonly connection: KeptConnection;
  readonly leases: Leases;
  /** Milliseconds without an answer or progress, and in total. */
  readonly timeout: number;
  readonly maxTimeout: number;
  /** Notes that a principal uses the shared connection. */
  noteUser(principal: string | undefined): void;
  /** Whether log messages of the shared connection can be those of another principal. */
  mixesLogs(client: Client): boolean;
  failed(message: string, error: unknown): void;
  /** The credentials that the upstream is sent. Nothing that it sends to callers contains them. */
  readonly secrets: readonly string[];
  /** Has the caller log in, if that is possible. Throws a `ToolError` that says what to do if it was not done. */
  logIn(ctx: Context, scopes: readonly string[] | undefined): Promise<void>;
  /** Whether callers log in themselves. */
  readonly isLoginPerUser: boolean;
}

/** Sends a request of a caller to an upstream, and everything that belongs to it both ways. Resolves to the final result. */
export async function relay(target: RelayTarget, method: RelayedMethod, params: object, ctx: Context): Promise<object> {
  const { connection } = target;
  connection.hold();
  target.noteUser(ctx.principal?.id);
  const request: RelayedRequest = { method, params, ctx, known: [params, ctx._meta] };
  try {
    const result = await relayOnce(target, request);
    return clearingFor(target, request).value(result);
  } catch (error) {
    return await recover(target, request, error);
  } finally {
    connection.release();
  }
}

/** A request of a caller. */
interface RelayedRequest {
  readonly method: RelayedMethod;
  readonly params: object;
  readonly ctx: Context;
  /** What the caller has sent: the request, and the answers to questions. */
  readonly known: unknown[];
}

/** The clearing of what the caller gets now: the credentials of the upstream may have changed, and the caller may have sent more. */
function clearingFor({ secrets }: RelayTarget, { known }: RelayedRequest): Clearing {
  return createClearing(secrets, known);
}

/** Has a caller log in who has to, and sends the request again: one that was refused was not executed. Throws for all other errors. */
async function recover(target: RelayTarget, request: RelayedRequest, error: unknown): Promise<object> {
  const isLoginNeeded = target.isLoginPerUser && error instanceof AuthError && error.code === "LOGIN_REQUIRED";
  if (!isLoginNeeded) throw explain(target, request, error);
  try {
    await target.logIn(request.ctx, error.scopes);
    const result = await relayOnce(target, request);
    return clearingFor(target, request).value(result);
  } catch (failure) {
    throw explain(target, request, failure);
  }
}

async function relayOnce(target: RelayTarget, request: RelayedRequest): Promise<object> {
  const { connection } = target;
  const { ctx, known } = request;
  const client = connection.client ?? (await connection.open());
  const capabilities = askableOf(ctx.clientCapabilities);
  if (client.era === "modern") return relayToModern(target, client, request, capabilities);
  if (capabilities === undefined) return send(target, client, request, false);
  return target.leases.use(ctx.principal?.id, capabilities, ctx, (own) => send(target, own, request, true), known);
}

/**
 * A modern server asks by an interim result. The result of each round is remembered with `once`: if the caller is modern, too, and the
 * run ends with a question, then the next run goes on where this one has ended, and nothing is done twice behind the gateway.
 */
async function relayToModern(
  target: RelayTarget,
  client: Client,
  request: RelayedRequest,
  capabilities: ClientCapabilities | undefined,
): Promise<object> {
  if (capabilities === undefined) return send(target, client, request, false);
  const { params, ctx, known } = request;
  let answers: object | undefined;
  let requestState: string | undefined;
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const sent = {
      ...params,
      ...(answers !== undefined && { inputResponses: answers }),
      ...(requestState !== undefined && { requestState }),
    };
    const result = await ctx.once(`upstream round ${round}`, () =>
      send(target, client, { ...request, params: sent }, false, capabilities),
    );
    if (!isInterim(result)) return result;
    const questions = clearingFor(target, request).value(result.inputRequests);
    answers = await answerAll(ctx, round, questions);
    known.push(answers);
    ({ requestState } = result);
  }
  throw new ToolError(`The server behind this tool asked for more input after ${MAX_ROUNDS} rounds.`);
}

function isInterim(result: object): result is InputRequiredResult {
  return (result as { readonly resultType?: unknown }).resultType === "input_required";
}

async function answerAll(ctx: Context, round: number, questions: unknown): Promise<object | undefined> {
  if (questions === undefined) return undefined;
  const entries = isObject(questions) ? Object.entries(questions) : [];
  if (entries.length > MAX_QUESTIONS) {
    throw new ToolError(`The server behind this tool asked more than ${MAX_QUESTIONS} questions at once.`);
  }
  const asked = entries.map(async ([key, question]) => {
    const { method, params } = isObject(question) ? question : {};
    const short = key.length > MAX_KEY ? hashText(key) : key;
    return [key, await askCaller(ctx, `upstream ${round} ${short}`, method, params)] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}

function send(
  target: RelayTarget,
  client: Client,
  request: RelayedRequest,
  isLeased: boolean,
  capabilities?: ClientCapabilities,
): Promise<object> {
  const { timeout, maxTimeout } = target;
  const { method, params, ctx } = request;
  const given = ctx._meta;
  const _meta = relayedMeta(given, capabilities);
  const options: { -readonly [Name in keyof RequestOptions]: RequestOptions[Name] } = {
    signal: ctx.signal,
    timeout,
    maxTimeout,
    ...(_meta !== undefined && { _meta }),
    ...(capabilities !== undefined && { resultTypes: ["input_required"] }),
  };
  if (given.progressToken !== undefined) {
    options.onProgress = ({ progress, total, message }) =>
      ctx.progress(progress, total, clearingFor(target, request).value(message));
  }
  const { logLevel } = ctx;
  if (logLevel !== undefined) {
    // Asked for each message: another principal may begin to use the connection at any time.
    options.onLog = ({ level, data, logger }) => {
      if (isLeased || !target.mixesLogs(client)) ctx.log(level, clearingFor(target, request).value(data), logger);
    };
    options.logLevel = logLevel;
    if (client.era === "legacy") lowerLogLevel(client, logLevel);
  }
  return client.request(method as string, params, options);
}

/** The lowest severity that legacy servers were asked for, by connection: it is one for all calls. */
const logLevels = new WeakMap<Client, LoggingLevel>();

function lowerLogLevel(client: Client, wanted: LoggingLevel): void {
  const current = logLevels.get(client);
  const isLow = current !== undefined && LOGGING_LEVELS.indexOf(current) <= LOGGING_LEVELS.indexOf(wanted);
  if (isLow || client.capabilities.logging === undefined) return;
  logLevels.set(client, wanted);
  // A server that refuses this sends what it likes.
  client.setLogLevel(wanted).catch(() => undefined);
}

/**
 * The `_meta` for the upstream: the caller's, without what concerns the caller's connection to the gateway alone. The client adds
 * its own progress token.
 */
function relayedMeta(given: Meta, capabilities: ClientCapabilities | undefined): Meta | undefined {
  let relayed: { [key: string]: unknown } | undefined;
  for (const key of Object.keys(given)) {
    if (key === MetaKey.ProgressToken || key.startsWith(RESERVED)) continue;
    relayed ??= {};
    relayed[key] = given[key];
  }
  if (capabilities !== undefined) relayed = { ...relayed, [MetaKey.ClientCapabilities]: capabilities };
  return relayed;
}

/** The prefix of the protocol's own keys. */
const RESERVED = "io.modelcontextprotocol/";

/** The `_meta` of a result for the caller: an upstream does not speak in the name of the gateway. */
export function passedMeta(given: Meta | undefined): Meta | undefined {
  if (given === undefined || !Object.keys(given).some((key) => key.startsWith(RESERVED))) return given;
  const kept = Object.entries(given).filter(([key]) => !key.startsWith(RESERVED));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Makes the error that the caller gets. Addresses and the words of transports are for the operator alone. */
function explain(target: RelayTarget, request: RelayedRequest, error: unknown): unknown {
  const { upstream, timeout } = target;
  const { method, ctx } = request;
  if (isPassedOn(error)) return clearError(error, clearingFor(target, request));
  if (ctx.signal.aborted) return error;
  const text = describe(upstream, timeout, error);
  if (text === undefined) return error;
  target.failed(`${method} failed: ${error instanceof Error ? error.message : String(error)}`, error);
  return new ToolError(text, { cause: error });
}

/** Whether an error is one that the upstream answered with. */
function isPassedOn(error: unknown): error is RpcError {
  return error instanceof RpcError && error.refusal?.isTemporary !== true;
}

/** An error of an upstream, as callers may see it. */
function clearError(error: RpcError, clearing: Clearing): RpcError {
  const words = cleanWords(clearing.text(error.message)) ?? "";
  return new RpcError(error.code, words, { data: clearing.value(error.data), cause: error });
}

/** Relays a request that asks nothing back, such as one for completions. */
export async function relayQuietly<T>(
  target: Pick<RelayTarget, "secrets">,
  work: () => Promise<T>,
  known: readonly unknown[],
): Promise<T> {
  try {
    const result = await work();
    return createClearing(target.secrets, known).value(result);
  } catch (error) {
    if (isPassedOn(error)) throw clearError(error, createClearing(target.secrets, known));
    throw error;
  }
}

function describe(upstream: string, timeout: number, error: unknown): string | undefined {
  if (error instanceof AuthError) return `Error: Upstream ${upstream} did not accept the credentials of the gateway`;
  if (error instanceof ProtocolViolation) return `Error: Upstream ${upstream} gave an invalid answer`;
  if (!(error instanceof TransportError) && !(error instanceof RpcError)) return undefined;
  switch (error.code) {
    case "TIMEOUT":
      return `Error: Upstream ${upstream} did not answer within ${timeout / 1000} s`;
    case "CONNECTION_LOST":
    case "SESSION_EXPIRED":
      return `Error: Upstream ${upstream} was lost before it answered; whether the call took effect is unknown`;
    case "UNEXPECTED_RESPONSE":
      return `Error: Upstream ${upstream} gave an invalid answer`;
    default:
      return `Error: Upstream ${upstream} could not be reached`;
  }
}

import {
  ErrorCode,
  RpcError,
  TransportError,
  type CallToolResult,
  type InputRequiredResult,
  type ListToolsResult,
  type LoggingLevel,
  type LogMessageParams,
  type NotificationMessage,
  type SchemaValidator,
} from "@toolwire/protocol";
import { isShuttingDown, UnsentError, type CallOptions } from "@toolwire/protocol/internal";
import { copyJson } from "../cache/result-cache.ts";
import type { Link } from "../connection/link.ts";
import type { Inputs } from "../input/handlers.ts";
import { castsDoubt } from "../connection/negotiate.ts";
import type { ToolCatalog } from "../catalog/catalog.ts";
import { Call, type CallNote, type CallOwner, type CallTimes } from "./call.ts";
import { checkType, readLogMessage, readResult } from "./results.ts";
import type { RequestOptions } from "./options.ts";
import { isGuessedLoss, throwUnsent, type Trouble } from "./recovery.ts";

/** What calls rely on. */
export interface CallsOptions {
  readonly link: Link;
  readonly inputs: Inputs;
  readonly catalog: ToolCatalog;
  /** Whether results are checked: of tools that have been listed, or `always`. */
  readonly validate: boolean | "always";
  readonly validator: SchemaValidator | undefined;
  /** Hears log messages that no call claims. */
  readonly onLog: LogListener | undefined;
  readonly maxRounds: number;
  readonly times: CallTimes;
  /** Hears the notifications that come with calls; if one is a log message, so do these listeners. */
  readonly hear: (message: NotificationMessage, listeners: readonly (LogListener | undefined)[]) => void;
}

/** It may be an asynchronous function, whose promise is of interest if it fails. */
export type LogListener = (message: LogMessageParams) => unknown;

/** How many more sessions or connections a call is sent over, if each of them ends before the server has looked at the call. */
const MAX_RENEWALS = 3;

/** What a call goes by that sets nothing; always the same object, so that the fast path knows it. */
export const NO_OPTIONS: RequestOptions = {};

/** Sends requests, and does everything that may be needed until there is a final result. */
export class Calls implements CallOwner {
  /** From which severity on modern servers send log messages, for calls that do not say. */
  logLevel: LoggingLevel | undefined;
  readonly times: CallTimes;
  readonly #options: CallsOptions;
  /** For all calls that want nothing special. */
  readonly #plain: CallOptions;
  /** The calls under way that want to hear log messages. */
  readonly #logging = new Set<Call>();
  #refreshing: Promise<void> | undefined;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.times = options.times;
    this.#plain = { onNotification: (message) => options.hear(message, [options.onLog]) };
  }

  /**
   * Sends a request and resolves to its final, checked result. The parameters must be a fresh object. `spent` is how much of
   * its time was needed already, in whole milliseconds.
   */
  send(
    method: string,
    params: object | undefined,
    options: RequestOptions,
    spent = 0,
    note?: CallNote,
  ): Promise<object> {
    const call = new Call(this, method, params, options, note, spent);
    // There may be no connection now; the time spent waiting for one counts.
    return this.#options.link.current === undefined
      ? this.#connected(call)
          .catch(throwUnsent)
          .then(() => this.#start(call))
      : this.#start(call);
  }

  /** Lists all tools anew, to find out what has changed about them. */
  refreshTools(): Promise<void> {
    const list = (params: object): Promise<object> => this.send("tools/list", params, NO_OPTIONS);
    return (this.#refreshing ??= import("../parts/later.ts")
      .then(({ readToolList }) => readToolList(this.#options.link, list))
      .finally(() => {
        this.#refreshing = undefined;
      }));
  }

  /**
   * Takes note of a page of tools, and leaves out those that cannot be called. The page that it returns is a copy: whoever
   * asked for it may do with it what they like, and the tools stay known as the server has listed them.
   */
  learnTools(result: ListToolsResult): object | Promise<object> {
    const { catalog, link } = this.#options;
    const learn = (readMirror?: Parameters<ToolCatalog["learn"]>[1]): object => {
      const tools = catalog.learn(result.tools, readMirror);
      return copyJson({ ...result, tools });
    };
    const mayMirror = link.current?.wire.hasHeaders === true && link.agreement?.era === "modern";
    if (!mayMirror || !mentionsHeaders(result.tools)) return learn();
    return import("../parts/later.ts").then(({ readMirror }) => learn(readMirror));
  }

  /** Who hears a log message that did not come with a call. Each once, however many calls it is for. */
  logListeners(): ReadonlySet<LogListener | undefined> {
    return new Set([this.#options.onLog, ...[...this.#logging].map(({ options }) => options.onLog)]);
  }

  // What calls come back with.

  accept(call: Call, result: object): object | Promise<object> {
    const { method, connection } = call;
    connection.hasServed = true;
    if (connection.agreement.era === "modern") {
      const { resultType } = result as { readonly resultType?: unknown };
      if (resultType === "input_required") return this.#playRound(call, result as InputRequiredResult);
      if (call.options.resultTypes?.includes(resultType as string) === true) return result;
      checkType(method, result);
    }
    const read = readResult(method, result);
    if (call.note) call.note.wasAnswered = call.rounds > 0;
    if (method === "tools/call") return this.#checkOutput(call, read as CallToolResult);
    return method === "tools/list" ? this.learnTools(read as ListToolsResult) : read;
  }

  async mend(call: Call, error: unknown): Promise<object> {
    // An error that came with a success is an answer as well.
    if (error instanceof RpcError && error.refusal === undefined) call.connection.hasServed = true;
    const trouble = troubleOf(error, call);
    if (trouble === undefined || !mayMend(call, trouble)) {
      // Said again in a new session, it was not about the session.
      throw this.#options.link.explain(isGuessedLoss(error) ? error.cause : error);
    }
    const { mendCall } = await import("../parts/later.ts").catch(() => {
      throw error;
    });
    await mendCall(call, error, trouble, this.#options, () => this.#findTool(call));
    return this.#dispatch(call);
  }

  #connected(call: Call): Promise<unknown> {
    return call.waitFor(this.#options.link.ready(), "connecting");
  }

  #start(call: Call): Promise<object> {
    if (call.method !== "tools/call") return this.#dispatch(call);
    call.tool = this.#options.catalog.get(call.toolName);
    return this.#isPrepared(call) ? this.#dispatch(call) : this.#startPrepared(call);
  }

  async #startPrepared(call: Call): Promise<object> {
    if (call.tool === undefined) await this.#findTool(call);
    await this.#prepare(call);
    return this.#dispatch(call);
  }

  async #findTool(call: Call): Promise<void> {
    await call.waitFor(this.refreshTools(), "listing the server's tools");
    call.tool = this.#options.catalog.get(call.toolName);
  }

  #isPrepared({ tool, options }: Call): boolean {
    const { validate = this.#options.validate } = options;
    if (tool === undefined) return validate !== "always";
    // Some servers write `null` for no schema.
    return !tool.tool.outputSchema || tool.checkOutput !== undefined || validate === false;
  }

  /** Whoever does not check results does not even load the code for it. */
  async #prepare(call: Call): Promise<void> {
    const { tool } = call;
    if (tool === undefined || this.#isPrepared(call)) return;
    const check = import("../parts/later.ts").then(({ prepareCheck }) =>
      prepareCheck(tool.tool, this.#options.validator),
    );
    tool.checkOutput = await call.waitFor(check, "preparing its check");
  }

  /** Sends a call over the connection there is now. */
  #dispatch(call: Call): Promise<object> {
    const { current } = this.#options.link;
    if (current === undefined) return this.#connected(call).then(() => this.#dispatch(call));
    call.connection = current;
    const outcome = new Promise<object>((resolve, reject) => {
      call.awaitedBy(resolve, reject);
      this.#transmit(call);
    });
    if (call.options.onLog === undefined) return outcome;
    this.#logging.add(call);
    return outcome.finally(() => this.#logging.delete(call));
  }

  #transmit(call: Call): void {
    const { connection, method, sent, options, headers } = call;
    if (options === NO_OPTIONS && headers === undefined && call.isFresh) {
      connection.send(method, sent, this.#plain, this.logLevel, call);
      return;
    }
    const { timeout, maxTimeout } = call.isFresh ? options : call.timeLeft;
    const { signal, onProgress } = options;
    const onLog: LogListener | undefined = options.onLog;
    const onNotification = (message: NotificationMessage): unknown => {
      this.#options.hear(message, onLog === undefined ? [this.#options.onLog] : []);
      const log = readLogMessage(message);
      // Whoever makes a call and fails at its log has lost interest in it, also if that takes a while.
      return log && onLog?.(log);
    };
    const logLevel = options.logLevel ?? this.logLevel ?? (onLog && "info");
    connection.send(method, sent, { signal, timeout, maxTimeout, onProgress, onNotification, headers }, logLevel, call);
  }

  async #playRound(call: Call, asked: InputRequiredResult): Promise<object> {
    const { playRound } = await import("../parts/legacy.ts");
    await playRound(call, asked, this.#options);
    // People take their time, so the connection may be another one by now; it makes no difference to the server.
    return this.#dispatch(call);
  }

  #checkOutput(call: Call, result: CallToolResult): object | Promise<object> {
    const { validate = this.#options.validate } = call.options;
    // Other calls of the tool may be checked.
    const problem = validate === false ? undefined : call.tool?.checkOutput?.(result);
    if (problem === undefined) return result;
    if (problem.isFinal) throw problem.violation;
    // The part that the check came from, so that it is there.
    return import("../parts/later.ts").then(({ checkAgain }) =>
      checkAgain(
        call,
        result,
        problem.violation,
        () => this.#findTool(call),
        () => this.#prepare(call),
      ),
    );
  }
}

/** Whether arguments may have to be mirrored. Where that is nested too deeply to say, each tool is looked at by itself. */
function mentionsHeaders(tools: readonly object[]): boolean {
  try {
    return JSON.stringify(tools).includes('"x-mcp-header"');
  } catch {
    return true;
  }
}

/** Whether a call may be sent once more because of this trouble. */
function mayMend({ mended }: Call, trouble: Trouble): boolean {
  const times = mended.filter((before) => before === trouble).length;
  return times < (trouble === "session" || trouble === "unsent" ? MAX_RENEWALS : 1);
}

/** What is wrong, if it is something that can be mended by talking to the server. */
function troubleOf(error: unknown, { method, connection }: Call): Trouble | undefined {
  if (error instanceof RpcError && error.code === ErrorCode.UrlElicitationRequired) return "pages";
  const { agreement, wire, isProven } = connection;
  const isModern = agreement.era === "modern";
  if (isModern && wire.hasHeaders && !isProven && castsDoubt(error)) return "era";
  if (isGuessedLoss(error)) return "guessed session";
  if (error instanceof UnsentError) return "unsent";
  if (error instanceof TransportError) return error.code === "SESSION_EXPIRED" ? "session" : undefined;
  if (!(error instanceof RpcError)) return undefined;
  // A connection can be replaced by another. Over HTTP there is none.
  if (!wire.hasHeaders && isShuttingDown(error)) return "unsent";
  const isUnsupported = error.code === ErrorCode.UnsupportedProtocolVersion;
  const isMismatch = error.code === ErrorCode.HeaderMismatch;
  // No legacy server says so of its own accord; that its client lacks a capability (-32021), it may well say.
  if (!isModern) return !isProven && (isUnsupported || isMismatch) ? "revision" : undefined;
  if (isUnsupported) return "revision";
  return isMismatch && method === "tools/call" ? "headers" : undefined;
}

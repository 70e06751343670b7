import {
  connect,
  retry,
  type Client,
  type ClientOptions,
  type ClientDiagnostic,
  type Transport,
} from "@toolwire/client";
import { createHttpTransport, createSsePairChannel } from "@toolwire/client/http";
import { spawnServer, type ServerProcess } from "@toolwire/client/stdio";
import { createWebSocketChannel } from "@toolwire/client/websocket";
import { EventEmitter, once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { REPEAT_ATTEMPTS } from "../accounts/promises.ts";
import { titleOf, type Cell } from "../cells.ts";
import { Random } from "@toolwire/evidence/load";
import { isServerRunning, PROGRAM } from "../servers/program.ts";
import type { ServerTask } from "../servers/task.ts";
import { PLENTY_MS } from "./call-kinds.ts";
import { countChannel, countExchanges, type TransportListener } from "./counted-transport.ts";
import type { Ledger } from "./ledger.ts";

/** Where a client stands in the run. */
export interface ClientPlace {
  readonly cell: Cell;
  readonly cellIndex: number;
  readonly index: number;
  readonly seed: number;
  readonly ledger: Ledger;
  /** The port of the server or proxy; unused over stdio. */
  readonly port: number;
  /** The journal of the servers that it starts over stdio. */
  readonly journal: string;
}

/** The history of a call so far. */
export interface PendingCall {
  sends: number;
  questions: number;
  reports: number;
}

/** Faults come so often that the usual ten attempts would be used up, and so long waits would leave little time for calls. */
const RECONNECT: ClientOptions["reconnect"] = { attempts: 1_000_000, delay: 50, maxDelay: 500 };

/** How long closing may take. */
const CLOSE_MS = 15_000;

/** One client of the load, and what is observed of it from outside. */
export class LoadClient implements TransportListener {
  readonly place: ClientPlace;
  readonly pending: Map<string, PendingCall> = new Map<string, PendingCall>();
  /** How many connections it has opened. */
  connections = 0;
  /** For how many milliseconds the next server that it starts does nothing. */
  startDelay = 0;
  /** How many warnings it gave, by the code of their error. */
  readonly warnings: Map<string, number> = new Map<string, number>();
  readonly #random: Random;
  readonly #events = new EventEmitter();
  #client: Client | undefined;
  #process: ServerProcess | undefined;
  #isClosing = false;

  constructor(place: ClientPlace) {
    this.place = place;
    this.#random = new Random(place.seed, "answers", titleOf(place.cell), place.index);
  }

  get client(): Client {
    return this.#client!;
  }

  async connect(): Promise<void> {
    this.#client = await connect(() => this.#openTransport(), this.#options());
    void this.#client.closed.then((reason) => {
      if (!this.#isClosing) this.report("keeps-reconnecting", String(reason));
    });
  }

  /** Resolves when the client has opened more than this many connections; to false if that takes too long. */
  hasOpened(count: number, withinMs: number): Promise<boolean> {
    return this.connections > count ? Promise.resolve(true) : this.#hears("opened", AbortSignal.timeout(withinMs));
  }

  /** The same, or when a call was answered: then its connection was not among those that broke. */
  isBack(count: number, withinMs: number): Promise<boolean> {
    return Promise.race([this.hasOpened(count, withinMs), this.#hears("answered", AbortSignal.timeout(withinMs))]);
  }

  /** Resolves when a call was answered; to false if that takes too long, or all is over. */
  isAnswered(withinMs: number, over: AbortSignal): Promise<boolean> {
    return this.#hears("answered", AbortSignal.any([AbortSignal.timeout(withinMs), over]));
  }

  /** A call has settled. */
  settled(call: string, isAnswered: boolean): void {
    this.pending.delete(call);
    if (isAnswered) this.#events.emit("answered");
  }

  /** Sends a signal to the server that it has started last, if that still runs. */
  signalServer(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid;
    if (pid !== undefined && isServerRunning(pid)) process.kill(pid, signal);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const closed = await Promise.race([this.client.close().then(() => true), delay(CLOSE_MS, false, { ref: false })]);
    if (!closed) this.report("closes-cleanly", `close() of client ${this.place.index} took more than ${CLOSE_MS} ms`);
  }

  /** Writes down something that should not be. */
  report(promise: Parameters<Ledger["addSighting"]>[1], example: string): void {
    this.place.ledger.addSighting(this.place.cellIndex, promise, example);
  }

  opened(): void {
    this.connections += 1;
    this.#events.emit("opened");
  }

  sent(call: string): void {
    const pending = this.pending.get(call);
    if (pending === undefined) this.report("silent-once-settled", `${call} was sent after it had settled`);
    else pending.sends += 1;
  }

  async #hears(event: "opened" | "answered", signal: AbortSignal): Promise<boolean> {
    try {
      await once(this.#events, event, { signal });
      return true;
    } catch {
      return false;
    }
  }

  #openTransport(): Transport {
    const { cell, port, journal } = this.place;
    const { binding, variant } = cell;
    if (binding === "http") return countExchanges(createHttpTransport(`http://127.0.0.1:${port}/mcp`), this);
    if (binding === "sse") return countChannel(createSsePairChannel(`http://127.0.0.1:${port}/sse`), this);
    if (binding === "websocket") return countChannel(createWebSocketChannel(`ws://127.0.0.1:${port}/ws`), this);
    const task: ServerTask = { binding, variant, journal, port, startDelay: this.startDelay };
    this.#process = spawnServer({
      command: process.execPath,
      args: [PROGRAM, JSON.stringify(task)],
      stderr: "ignore",
    });
    return countChannel(this.#process, this);
  }

  #options(): ClientOptions {
    const { cell } = this.place;
    return {
      ...(cell.binding === "sse" ? { revision: "2024-11-05" } : { era: cell.era }),
      reconnect: RECONNECT,
      timeout: PLENTY_MS,
      middleware: [retry({ attempts: REPEAT_ATTEMPTS, delay: 100, tools: ["look_up"] })],
      onDiagnostic: (event) => this.#hear(event),
      ...(cell.asks && {
        elicitation: async ({ message }) => {
          await this.#answer(message);
          return { action: "accept", content: { answer: message } };
        },
      }),
    };
  }

  /** A question names the call that it is asked for. It may come when the caller has given the call up. */
  async #answer(call: string): Promise<void> {
    const { cellIndex, index } = this.place;
    const isOwn = call.startsWith(`${cellIndex}.${index}.`);
    if (!isOwn) this.report("right-answer", `client ${index} was asked for ${call}`);
    const pending = this.pending.get(call);
    if (pending !== undefined) pending.questions += 1;
    await delay(this.#random.between(0, 30));
  }

  #hear({ level, message, error }: ClientDiagnostic): void {
    if (level === "debug" || level === "info") return;
    const code = String((error as { readonly code?: unknown } | undefined)?.code);
    this.warnings.set(code, (this.warnings.get(code) ?? 0) + 1);
    if (code === "DUPLICATE_RESPONSE" || code === "UNKNOWN_RESPONSE") this.report("one-response", message);
  }
}

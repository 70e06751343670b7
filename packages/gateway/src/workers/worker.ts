import { type WorkerDuties, WorkerEnd } from "@toolwire/server/workers";
import type { GatewayConfig } from "../config/config.ts";
import type { GatewayEvent } from "../gateway.ts";
import { createListenerServer, type GatewayListener, type RouteOptions, urlOf } from "../listener/listener.ts";
import type { CallLog } from "../log/call-log.ts";
import type { CallRecord } from "../log/call-record.ts";
import type { Database } from "../log/database/database.ts";
import { errorFrom } from "../storage/worker-messages.ts";
import { type FromWorker, isOfGateway, type ToWorker } from "./messages.ts";

/** How long the process that keeps the database may take for a statement, in milliseconds. */
const DEADLINE = 60_000;

/** How often that process is told what was logged, in milliseconds. */
const NEWS_INTERVAL = 250;

/** So many records wait until then. More are in the log, and not in the figures of the process that has started this one. */
const MOST_NEWS = 10_000;

interface Pending {
  resolve(rows: readonly object[]): void;
  reject(error: Error): void;
}

/** A worker of a gateway: the end that belongs to it of the channel to the process that has started it. */
export class GatewayWorker {
  /** The configuration as that process has it. */
  readonly config: GatewayConfig;
  readonly end: WorkerEnd;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #onChanged: () => void = () => undefined;
  #onConfig: (config: GatewayConfig) => void = () => undefined;

  private constructor(end: WorkerEnd, config: GatewayConfig) {
    this.end = end;
    this.config = config;
    end.listen((message) => {
      if (isOfGateway(message)) this.#receive(message as ToWorker);
    });
  }

  /** Greets the process that has started this one. */
  static async join(): Promise<GatewayWorker> {
    const end = await WorkerEnd.join();
    const config = await new Promise<GatewayConfig>((resolve) => {
      const stop = end.listen((message) => {
        const read = message as ToWorker;
        if (read.gateway !== "config") return;
        stop();
        resolve(read.config);
      });
      end.send({ gateway: "hello" } satisfies FromWorker);
    });
    return new GatewayWorker(end, config);
  }

  /** The database that the process keeps that has started this one. */
  get database(): Database {
    return {
      kind: "pglite",
      query: async <Row extends object>(statement: string, values: Parameters<Database["query"]>[1] = []) =>
        (await this.#ask((id) => ({ gateway: "query", id, statement, values }))) as readonly Row[],
      close: async () => undefined,
    };
  }

  /** Calls back whenever another process of this gateway has changed what it keeps. */
  readonly listen = async (onNotice: () => void): Promise<void> => {
    this.#onChanged = onNotice;
  };

  /** Calls back with each configuration that the gateway takes over. */
  onConfig(take: (config: GatewayConfig) => void): void {
    this.#onConfig = take;
  }

  report(event: GatewayEvent): void {
    this.end.send({ gateway: "event", event } satisfies FromWorker);
  }

  /** Tells the process that has started this one what is logged here. Returns a function that tells the rest. */
  follow(calls: CallLog): () => void {
    let records: CallRecord[] = [];
    let told = "";
    const tell = (): void => {
      const status = calls.status();
      const text = JSON.stringify(status);
      if (records.length === 0 && text === told) return;
      told = text;
      this.end.send({ gateway: "news", records, status } satisfies FromWorker);
      records = [];
    };
    const stop = calls.follow((record) => {
      if (records.length < MOST_NEWS) records.push(record);
    });
    const timer = setInterval(tell, NEWS_INTERVAL).unref();
    return () => {
      clearInterval(timer);
      stop();
      tell();
    };
  }

  /** Serves the connections that come from the process that has started this one. */
  serve(options: RouteOptions, duties: Omit<WorkerDuties, "http">): GatewayListener {
    const { end } = this;
    const { http, close } = createListenerServer(options);
    end.serve({ http, ...duties });
    return {
      url: urlOf(end.host, end.port),
      leave: () => end.leave(),
      async close() {
        end.stop();
        await close();
      },
    };
  }

  #ask(request: (id: number) => FromWorker): Promise<readonly object[]> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new Error("The process that keeps the database of this gateway has not answered in time."));
      }, DEADLINE);
      const settle = (): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
      };
      this.#pending.set(id, {
        resolve(rows) {
          settle();
          resolve(rows);
        },
        reject(error) {
          settle();
          reject(error);
        },
      });
      this.end.send(request(id));
    });
  }

  #receive(message: ToWorker): void {
    switch (message.gateway) {
      case "rows":
        this.#pending.get(message.id)?.resolve(message.rows);
        return;
      case "failed":
        this.#pending.get(message.id)?.reject(errorFrom(message.error));
        return;
      case "changed":
        this.#onChanged();
        return;
      case "config":
        this.#onConfig(message.config);
    }
  }
}

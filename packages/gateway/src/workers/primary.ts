import { startWorkers } from "@toolwire/server/workers";
import type { GatewayConfig } from "../config/config.ts";
import type { GatewayEvent } from "../gateway.ts";
import { type GatewayListener, urlOf } from "../listener/listener.ts";
import { openPort } from "../listener/open-port.ts";
import type { CallRecord } from "../log/call-record.ts";
import { CHANGE_CHANNEL } from "../storage/change-feed.ts";
import type { Storage } from "../storage/storage.ts";
import { errorOf } from "../storage/worker-messages.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

/** The parts of a gateway that its workers need. */
export interface PrimaryParts {
  readonly count: number;
  readonly host: string;
  readonly port: number;
  /** How many milliseconds a worker may take to close. */
  readonly closeTimeout: number;
  readonly storage: Storage;
  readonly config: () => GatewayConfig;
  readonly report: (event: GatewayEvent) => void;
  /** A worker has logged a call. */
  readonly logged: (record: CallRecord) => void;
}

/** Listens, and starts the workers. They have no database of their own, if it is the embedded one: this process asks it for them. */
export async function startGatewayWorkers(parts: PrimaryParts): Promise<GatewayListener> {
  const { storage, report } = parts;
  const started = await startWorkers({
    count: parts.count,
    host: parts.host,
    closeTimeout: parts.closeTimeout,
    diagnose: ({ level, message, error }) => report({ level, message, error }),
    message: (message, worker, reply) => void receive(message as FromWorker, worker, reply, parts),
    ended: (worker) => storage.calls.forget(worker),
    async listen(listener) {
      const advice = "Use `--port` or `listen.port` for another one; 0 picks a free port.";
      await openPort(listener, { host: parts.host, port: parts.port, what: "The gateway", advice });
      listener.on("error", (error) => {
        report({ level: "error", message: `A connection could not be accepted: ${error.message}`, error });
      });
    },
  });
  const tellOfChanges = storage.onChange(() => started.broadcast({ gateway: "changed" } satisfies ToWorker));
  const end = async (wait?: number): Promise<void> => {
    await started.close(wait);
    tellOfChanges();
  };
  return {
    url: urlOf(parts.host, started.port),
    close: () => end(),
    drain: end,
    reload: (config) => started.broadcast({ gateway: "config", config } satisfies ToWorker),
  };
}

async function receive(
  message: FromWorker,
  worker: number,
  reply: (message: object) => void,
  { storage, config, report, logged }: PrimaryParts,
): Promise<void> {
  const answer = (text: ToWorker): void => reply(text);
  switch (message.gateway) {
    case "hello":
      answer({ gateway: "config", config: config() });
      return;
    case "event":
      report(message.event);
      return;
    case "news":
      storage.calls.hear(worker, message);
      for (const record of message.records) logged(record);
      return;
    case "query":
      try {
        const { database, check } = expectShared(storage);
        const rows = await database.query(message.statement, message.values);
        answer({ gateway: "rows", id: message.id, rows });
        // The change itself is read from the tables, by this process and then by the others.
        if (message.statement.includes(CHANGE_CHANNEL)) await check();
      } catch (error) {
        answer({ gateway: "failed", id: message.id, error: errorOf(error) });
      }
  }
}

function expectShared({ shared }: Storage): NonNullable<Storage["shared"]> {
  if (shared !== undefined) return shared;
  throw new TypeError("The storage of this gateway has nothing that workers could ask for.");
}

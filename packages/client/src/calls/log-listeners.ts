import { isObject, type LogMessageParams, type NotificationMessage } from "@toolwire/protocol";

type LogListener = (message: LogMessageParams) => void;

/** Who wants to hear log messages that do not say which request they belong to. */
export class LogListeners {
  readonly #calls = new Set<LogListener>();
  readonly #always: LogListener | undefined;

  constructor(always: LogListener | undefined) {
    this.#always = always;
  }

  add(listener: LogListener): void {
    this.#calls.add(listener);
  }

  delete(listener: LogListener): void {
    this.#calls.delete(listener);
  }

  /** Passes a log message on to everybody. */
  hear(message: NotificationMessage): void {
    const params = readLogMessage(message);
    if (params === undefined) return;
    this.#always?.(params);
    for (const listener of this.#calls) listener(params);
  }
}

/** What a log message says; `undefined` if it is none. */
export function readLogMessage({ method, params }: NotificationMessage): LogMessageParams | undefined {
  return method === "notifications/message" && isObject(params) ? (params as unknown as LogMessageParams) : undefined;
}

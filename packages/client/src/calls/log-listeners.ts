import { isObject, type LogMessageParams, type NotificationMessage } from "@toolwire/protocol";

type LogListener = (message: LogMessageParams) => void;

/** Who wants to hear log messages that do not say which request they belong to. */
export class LogListeners {
  /** How many calls each of them is for: a listener hears everything once, until the last of its calls is over. */
  readonly #calls = new Map<LogListener, number>();
  readonly #always: LogListener | undefined;

  constructor(always: LogListener | undefined) {
    this.#always = always;
  }

  add(listener: LogListener): void {
    this.#calls.set(listener, (this.#calls.get(listener) ?? 0) + 1);
  }

  delete(listener: LogListener): void {
    const left = (this.#calls.get(listener) ?? 1) - 1;
    if (left > 0) this.#calls.set(listener, left);
    else this.#calls.delete(listener);
  }

  /** Passes a log message on to everybody. */
  hear(message: NotificationMessage): void {
    const params = readLogMessage(message);
    if (params === undefined) return;
    this.#always?.(params);
    for (const listener of this.#calls.keys()) listener(params);
  }
}

/** What a log message says; `undefined` if it is none. */
export function readLogMessage({ method, params }: NotificationMessage): LogMessageParams | undefined {
  const isLog = method === "notifications/message" && isObject(params) && typeof params["level"] === "string";
  return isLog ? (params as unknown as LogMessageParams) : undefined;
}

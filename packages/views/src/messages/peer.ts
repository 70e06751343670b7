import { CODES, isRecord, readMessage, ViewError, type LooseMessage } from "./message.ts";

/** How a {@link Peer} reaches the other window, and what it does with what comes from there. */
export interface PeerOptions {
  /** Sends a message to the other window. */
  readonly post: (message: object) => void;
  /** Answers a request. What it throws becomes an error. */
  readonly answer: (method: string, params: { readonly [param: string]: unknown }) => Promise<object> | object;
  /** Gets a notification. */
  readonly hear: (method: string, params: { readonly [param: string]: unknown }) => void;
  /** How many requests of the other side may be open at the same time. */
  readonly maxOpen?: number | undefined;
}

interface Waiting {
  readonly resolve: (result: object) => void;
  readonly reject: (error: Error) => void;
}

/** JSON-RPC with another window. Whoever makes one decides which messages it receives: by window and origin. */
export class Peer {
  readonly #options: PeerOptions;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #open = 0;
  #closed: Error | undefined;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  /** Takes a message of the other window. */
  receive(data: unknown): void {
    const message = readMessage(data);
    if (message === undefined || this.#closed !== undefined) return;
    const { id, method } = message;
    if (typeof method === "string") {
      const params = isRecord(message.params) ? message.params : {};
      if (typeof id === "string" || typeof id === "number") void this.#answer(id, method, params);
      else if (id === undefined) this.#options.hear(method, params);
    } else if (typeof id === "number") this.#settle(id, message);
  }

  /** Sends a request, and resolves to its result. */
  request(method: string, params: object, timeout?: number): Promise<object> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<object>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#options.post({ jsonrpc: "2.0", id, method, params });
    if (timeout === undefined) return answered;
    const timer = setTimeout(() => this.#fail(id, `${method} was not answered within ${timeout} ms.`), timeout);
    return answered.finally(() => clearTimeout(timer));
  }

  notify(method: string, params: object): void {
    if (this.#closed === undefined) this.#options.post({ jsonrpc: "2.0", method, params });
  }

  /** Ends it: requests that are open fail, and nothing is sent or received any more. */
  close(reason: string): void {
    this.#closed ??= new ViewError(CODES.refused, reason);
    for (const id of this.#waiting.keys()) this.#fail(id, reason);
  }

  async #answer(id: string | number, method: string, params: { readonly [param: string]: unknown }): Promise<void> {
    const { maxOpen = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#open >= maxOpen) {
      const message = `${maxOpen} requests are open already: wait for an answer.`;
      this.#options.post({ jsonrpc: "2.0", id, error: { code: CODES.refused, message } });
      return;
    }
    this.#open += 1;
    try {
      this.#reply({ jsonrpc: "2.0", id, result: await this.#options.answer(method, params) });
    } catch (error) {
      const code = error instanceof ViewError ? error.code : CODES.refused;
      this.#reply({
        jsonrpc: "2.0",
        id,
        error: { code, message: error instanceof Error ? error.message : String(error) },
      });
    } finally {
      this.#open -= 1;
    }
  }

  #reply(message: object): void {
    if (this.#closed === undefined) this.#options.post(message);
  }

  #settle(id: number, { result, error }: LooseMessage): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    if (isRecord(result)) return waiting.resolve(result);
    const { code, message } = isRecord(error) ? error : {};
    waiting.reject(
      new ViewError(
        typeof code === "number" ? code : CODES.invalidRequest,
        typeof message === "string" ? message : "The answer has neither a result nor an error.",
      ),
    );
  }

  #fail(id: number, reason: string): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.reject(new ViewError(CODES.refused, reason));
  }
}

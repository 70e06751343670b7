import type { Database } from "../log/database/database.ts";
import { errorFrom, type WorkerReply, type WorkerRequest } from "./worker-messages.ts";

/** A database that the thread which has started this one can reach. */
export class ParentDatabase {
  readonly #send: (reply: WorkerReply) => void;
  readonly #pending = new Map<number, { resolve(rows: readonly object[]): void; reject(error: Error): void }>();
  #lastId = 0;

  constructor(send: (reply: WorkerReply) => void) {
    this.#send = send;
  }

  get database(): Database {
    return {
      kind: "pglite",
      query: async <Row extends object>(statement: string, values: Parameters<Database["query"]>[1] = []) => {
        this.#lastId += 1;
        const id = this.#lastId;
        const rows = await new Promise<readonly object[]>((resolve, reject) => {
          this.#pending.set(id, { resolve, reject });
          this.#send({ type: "ask", id, statement, values });
        });
        return rows as readonly Row[];
      },
      close: async () => undefined,
    };
  }

  /** The thread that has started this one has an answer. */
  settle({ id, rows, error }: Extract<WorkerRequest, { readonly type: "answer" }>): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(rows ?? []);
    else pending?.reject(errorFrom(error));
  }
}

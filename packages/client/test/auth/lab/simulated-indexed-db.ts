/** A browser's database, and locks of pages, as far as a store of one table uses them. `npm run logins` uses real ones. */

/** What may go wrong with the next operations. */
export interface DatabaseFaults {
  open?: Error | undefined;
  /** How the next write ends: as an error, or given up without one. */
  write?: "error" | "abort" | undefined;
}

/** The databases of one origin, which all of its pages share. */
export class SimulatedIndexedDb {
  readonly faults: DatabaseFaults = {};
  opened = 0;
  readonly #tables = new Map<string, Map<string, Map<string, unknown>>>();
  readonly #connections = new Set<Connection>();

  open(name: string, version: number): EventTarget & { result?: Connection; error?: Error } {
    const request: EventTarget & { result?: Connection; error?: Error } = new EventTarget();
    this.opened += 1;
    queueMicrotask(() => {
      const { open } = this.faults;
      this.faults.open = undefined;
      if (open !== undefined) {
        request.error = open;
        request.dispatchEvent(new Event("error"));
        return;
      }
      const isNew = !this.#tables.has(name);
      const tables = this.#tables.get(name) ?? new Map<string, Map<string, unknown>>();
      this.#tables.set(name, tables);
      request.result = new Connection(tables, this.faults);
      this.#connections.add(request.result);
      if (isNew && version === 1) request.dispatchEvent(new Event("upgradeneeded"));
      request.dispatchEvent(new Event("success"));
    });
    return request;
  }

  /** The databases that there are, with their tables. */
  names(): { readonly [database: string]: readonly string[] } {
    return Object.fromEntries([...this.#tables].map(([name, tables]) => [name, [...tables.keys()]]));
  }

  /** A page deletes all databases: pages that have them open are asked to close them. */
  deleteAll(): void {
    for (const connection of this.#connections) connection.dispatchEvent(new Event("versionchange"));
    if ([...this.#connections].some(({ isOpen }) => isOpen)) throw new Error("A page keeps its database open.");
    this.#tables.clear();
    this.#connections.clear();
  }

  /** The user clears the data of the origin: connections are closed, and told so. */
  clear(): void {
    this.#tables.clear();
    for (const connection of this.#connections) {
      connection.isOpen = false;
      connection.dispatchEvent(new Event("close"));
    }
    this.#connections.clear();
  }
}

class Connection extends EventTarget {
  isOpen = true;
  readonly #tables: Map<string, Map<string, unknown>>;
  readonly #faults: DatabaseFaults;

  constructor(tables: Map<string, Map<string, unknown>>, faults: DatabaseFaults) {
    super();
    this.#tables = tables;
    this.#faults = faults;
  }

  createObjectStore(table: string): void {
    this.#tables.set(table, new Map());
  }

  close(): void {
    this.isOpen = false;
  }

  transaction(table: string, mode: "readonly" | "readwrite"): object {
    if (!["readonly", "readwrite"].includes(mode)) throw new TypeError(`There is no mode ${mode}.`);
    if (!this.isOpen) throw new DOMException("The database connection is closing.", "InvalidStateError");
    const entries = this.#tables.get(table);
    if (entries === undefined) throw new DOMException(`There is no table ${table}.`, "NotFoundError");
    const transaction = Object.assign(new EventTarget(), { error: null as Error | null, objectStore: () => store });
    const writes: (() => void)[] = [];
    const write = (change: () => void): void => {
      if (mode !== "readwrite") throw new DOMException("This transaction only reads.", "ReadOnlyError");
      if (writes.push(change) > 1) return;
      setTimeout(() => {
        const fault = this.#faults.write;
        this.#faults.write = undefined;
        if (fault === "error") transaction.error = new DOMException("The disk is full.", "QuotaExceededError");
        else if (fault === undefined) for (const next of writes) next();
        transaction.dispatchEvent(new Event(fault ?? "complete"));
      });
    };
    const store = {
      get(key: string) {
        const request = Object.assign(new EventTarget(), { result: undefined as unknown });
        setTimeout(() => {
          request.result = structuredClone(entries.get(key));
          request.dispatchEvent(new Event("success"));
        });
        return request;
      },
      put(value: unknown, key: string) {
        const copy: unknown = structuredClone(value);
        write(() => void entries.set(key, copy));
      },
      delete(key: string) {
        write(() => void entries.delete(key));
      },
    };
    return transaction;
  }
}

/** The locks of one origin. */
export class SimulatedLocks {
  readonly names: string[] = [];
  readonly #last = new Map<string, Promise<unknown>>();

  request<T>(name: string, { signal }: { signal?: AbortSignal }, work: () => Promise<T>): Promise<T> {
    this.names.push(name);
    const before = this.#last.get(name) ?? Promise.resolve();
    const next = before.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    this.#last.set(
      name,
      next.catch(() => undefined),
    );
    return next;
  }
}

import type { AuthStore, StoredValue } from "../store/auth-store.ts";

const TABLE = "entries";

/**
 * Makes a store that all pages of this origin share, and that outlives them. Any script of the origin can use it, so it suits
 * applications that run no scripts of others. Keys of bound tokens cannot be exported from it.
 */
export function indexedDbStore(name = "toolwire-auth"): AuthStore {
  let opening: Promise<IDBDatabase> | undefined;
  const reset = (): void => {
    opening = undefined;
  };
  const database = (): Promise<IDBDatabase> => {
    if (opening === undefined) {
      opening = openDatabase(name, reset);
      opening.catch(reset);
    }
    return opening;
  };
  return {
    holdsObjects: true,
    async get(key) {
      const table = (await database()).transaction(TABLE, "readonly").objectStore(TABLE);
      return (await toPromise(table.get(key))) as StoredValue | undefined;
    },
    async swap(key, expected, next) {
      // One transaction, so that no other page can write in between.
      const transaction = (await database()).transaction(TABLE, "readwrite");
      const table = transaction.objectStore(TABLE);
      const current = (await toPromise(table.get(key))) as StoredValue | undefined;
      if (current?.version !== expected) return false;
      if (next === undefined) table.delete(key);
      else table.put({ value: next, version: crypto.randomUUID() } satisfies StoredValue, key);
      await new Promise<void>((resolve, reject) => {
        const fail = (): void => reject(transaction.error ?? new Error("The browser kept nothing."));
        transaction.addEventListener("complete", () => resolve());
        transaction.addEventListener("error", fail);
        transaction.addEventListener("abort", fail);
      });
      return true;
    },
    lock: (key, work, { signal }) =>
      navigator.locks.request(`${name} ${key}`, signal ? { signal } : {}, () => work()) as never,
  };
}

/** Opens the database. `lost` is called when it is taken away: by a page that deletes it, or by a user who clears data. */
async function openDatabase(name: string, lost: () => void): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.addEventListener("upgradeneeded", () => void request.result.createObjectStore(TABLE));
  const database = await toPromise(request);
  database.addEventListener("close", lost);
  database.addEventListener("versionchange", () => {
    database.close();
    lost();
  });
  return database;
}

function toPromise<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("The browser's database failed.")));
  });
}

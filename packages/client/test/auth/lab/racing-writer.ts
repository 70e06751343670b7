// A process that reads and replaces one value of a file store as fast as it can: `node racing-writer.mjs DIRECTORY COUNT`. It prints what it
// did as JSON, with times of the clock that all processes of the machine share.

import { fileStore } from "@toolwire/client/auth/node";

const [directory = "", count = ""] = process.argv.slice(2);
const store = fileStore({ directory });
const now = (): number => Number(process.hrtime.bigint() / 1000n);

/** One operation on the value: what was read, or what was to be replaced by what. */
export interface Operation {
  readonly kind: "read" | "replace";
  readonly begin: number;
  readonly end: number;
  /** The value that was read, or that was expected; `null` if there was none. */
  readonly before: string | null;
  readonly after?: string;
  readonly isDone?: boolean;
}

const operations: Operation[] = [];
for (let index = 0; index < Number(count); index += 1) {
  const begin = now();
  const found = await store.get("value");
  const before = (found?.value as { readonly id: string } | undefined)?.id ?? null;
  operations.push({ kind: "read", begin, end: now(), before });
  const [began, after] = [now(), crypto.randomUUID()];
  const isDone = await store.swap("value", found?.version, { id: after });
  operations.push({ kind: "replace", begin: began, end: now(), before, after, isDone });
}
console.log(JSON.stringify(operations));

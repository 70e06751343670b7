import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import postgres from "postgres";
import { expect, test } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { makeRecord } from "../log/records.ts";
import { makeDatabase, STORE } from "./databases.ts";

const CANARY = "canary-Zx81/4711+value?";
const BASE = Buffer.from(CANARY).toString("base64").slice(0, -2);

/** Everything under a folder, as bytes. */
async function* readFiles(folder: string): AsyncGenerator<readonly [name: string, bytes: Buffer]> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile()) yield [file, await readFile(file)];
  }
}

/** Everything in the tables of the gateway. On PGlite, the files of the folder have it all. */
async function readTables(url: string | undefined): Promise<string> {
  if (url === undefined) return "";
  const sql = postgres(url, { max: 1 });
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'toolwire'::regnamespace and relkind = 'r'`;
  let text = "";
  for (const { name } of tables) text += JSON.stringify(await sql.unsafe(`select * from toolwire.${name}`));
  await sql.end();
  return text;
}

test(
  `secrets-appear-nowhere: the value of a secret and an API key are in no file and no table of ${STORE}, and in no answer`,
  { timeout: 60_000 },
  async () => {
    const place = await makeDatabase();
    const said: string[] = [];
    const storage = await openStorage({
      ...place.options,
      sealingKeys: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
      onWarning: (message) => said.push(message),
    });
    await storage.secrets.set("stripe", CANARY);
    await storage.secrets.set("stripe", CANARY, "ada");
    const { key, secret } = await storage.keys.create({ name: "Claude" });
    storage.redactor.add(secret);
    const leaks = [CANARY, encodeURIComponent(CANARY), Buffer.from(`ada:${CANARY}`).toString("base64"), secret];
    for (const leak of leaks) {
      storage.calls.follow((record) => said.push(JSON.stringify(record)));
      storage.calls.add(
        makeRecord({
          outcome: "tool-error",
          error: `Error: Upstream API returned 401 - ${leak}`,
          capture: { arguments: JSON.stringify({ header: leak, password: "pass-7" }), response: `you sent ${leak}` },
        }),
      );
    }
    await storage.calls.flush();
    const range = { from: Date.now() - 60_000, to: Date.now() + 1 };
    const { calls } = await storage.calls.calls(range);
    for (const { id } of calls) said.push(JSON.stringify(await storage.calls.call(id)));
    said.push(JSON.stringify([calls, storage.calls.status(), storage.secrets.list(), storage.keys.list(), key]));
    said.push(inspect(storage, { depth: 9, showHidden: true }), inspect(storage.secrets.get("stripe")));
    expect(calls).toHaveLength(leaks.length);
    await storage.close();
    said.push(await readTables(place.options.url));

    const needles = [CANARY, encodeURIComponent(CANARY), BASE, secret, secret.slice(4), "pass-7"];
    for (const text of said) for (const needle of needles) expect(text).not.toContain(needle);
    for await (const [file, bytes] of readFiles(place.options.path)) {
      for (const needle of needles) expect([file, bytes.includes(needle)]).toEqual([file, false]);
    }
    await place.remove();
  },
);

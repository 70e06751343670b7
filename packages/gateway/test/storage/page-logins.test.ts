/** Logins to the page that several gateways share, in a database. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startProvider } from "../../../client/test/auth/lab/identity-provider.ts";
import type { GatewayConfig } from "../../src/config/config.ts";
import { createGateway } from "../../src/create-gateway.ts";
import type { Gateway } from "../../src/gateway.ts";
import type { LocalDatabase } from "../../src/log/database/database.ts";
import { migrate } from "../../src/log/database/migrations.ts";
import { Sealer } from "../../src/secrets/sealing.ts";
import { readSealingKeys } from "../../src/secrets/sealing-keys.ts";
import { databasePageLogins } from "../../src/storage/database-page-logins.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import type { PageLoginStore } from "../../src/storage/storage.ts";
import { findPort } from "../logins/find-port.ts";
import { Browser } from "../logins/lab.ts";
import { makeDatabase, type TestDatabase } from "./databases.ts";

const sealer = (): Sealer => new Sealer(readSealingKeys(`k1:${Buffer.alloc(32, 3).toString("base64")}`));

let place: TestDatabase;
let database: LocalDatabase;
let now = Date.now();

beforeAll(async () => {
  place = await makeDatabase();
  database = await place.open();
  await migrate(database);
});

afterAll(async () => {
  await database.close();
  await place.remove();
});

const open = (): PageLoginStore => databasePageLogins(database, sealer(), () => now);

test("a session of one gateway is found by others, until it is closed, unused for too long, or over", async () => {
  const [one, other] = [open(), open()];
  const login = { name: "ada", expiresAt: now + 10_000 };
  await one.openSession("a", login, now + 1000);
  expect(await other.useSession("a", now + 3000)).toEqual(login);
  now += 2000;
  expect(await one.useSession("a", now + 1000)).toEqual(login);
  expect(await one.useSession("b", now + 1000)).toBeUndefined();
  now += 1500;
  expect(await other.useSession("a", now + 1000)).toBeUndefined();
  await one.openSession("c", { name: "bob", expiresAt: now + 1000 }, now + 5000);
  now += 1200;
  expect(await other.useSession("c", now + 5000)).toBeUndefined();
  await one.openSession("d", { name: "eve", expiresAt: now + 9000 }, now + 9000);
  await other.closeSession("d");
  expect(await one.useSession("d", now + 9000)).toBeUndefined();
});

test("of many sessions, those that were unused for longest make room", async () => {
  const store = open();
  for (let index = 0; index < 70; index += 1) {
    await store.openSession(`many ${index}`, { name: "x", expiresAt: now + 90_000 }, now + 1000 + index);
  }
  expect(await store.useSession("many 0", now + 1000)).toBeUndefined();
  expect(await store.useSession("many 69", now + 1000)).toBeDefined();
});

test("a code is good once, at one of several gateways, and not when it is late", async () => {
  const [one, other] = [open(), open()];
  await one.addCode("code", now + 1000);
  const taken = await Promise.all([one.takeCode("code"), other.takeCode("code")]);
  expect(taken.filter(Boolean)).toHaveLength(1);
  await one.addCode("late", now + 1000);
  now += 1000;
  expect(await other.takeCode("late")).toBe(false);
});

test("what must not happen twice happens at one of several gateways", async () => {
  const [one, other] = [open(), open()];
  const claims = await Promise.all([one, other, one, other].map((store) => store.claim("state", now + 1000)));
  expect(claims.filter(Boolean)).toHaveLength(1);
});

test("no id, code or name of a cookie can be read in the table", async () => {
  const store = open();
  await store.openSession("canary-session", { name: "ada", expiresAt: now + 9000 }, now + 9000);
  await store.addCode("canary-code", now + 9000);
  const rows = await database.query("select * from toolwire.page_logins");
  expect(rows.length).toBeGreaterThan(1);
  expect(JSON.stringify(rows)).not.toContain("canary");
});

test("a login that was begun at one gateway ends at another, once, and opens a session at both", async () => {
  const ports = [await findPort(), await findPort()] as const;
  const [front, behind] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const client = { client_id: "page", client_secret: "secret-of-the-page-0123456789" };
  const provider = await startProvider({
    clients: [{ ...client, redirect_uris: [`${front}/login/callback`], grant_types: ["authorization_code"] }],
  });
  onTestFinished(() => provider.close());
  const config: GatewayConfig = {
    version: 1,
    network: { allow: ["127.0.0.1"] },
    admin: {
      publicUrl: front,
      login: {
        issuer: provider.issuer,
        client: { id: client.client_id, secret: client.client_secret },
        scopes: [],
        allow: { subjects: ["ada"] },
      },
    },
  };
  const storage = openMemoryStorage();
  const gateways: Gateway[] = [];
  for (const adminPort of ports) {
    const own = { ...storage, pageLogins: databasePageLogins(database, sealer(), Date.now), close: async () => {} };
    gateways.push(await createGateway(config, { port: 0, adminPort, storage: own }));
  }
  onTestFinished(async () => void (await Promise.all(gateways.map((gateway) => gateway.close()))));
  const browser = new Browser();
  /** A load balancer has one port, by which cookies are named. */
  const move = (from: string, to: string): void => {
    const cookies = [...(browser.cookies.get(from) ?? [])];
    const port = new URL(to).port;
    browser.cookies.set(to, new Map(cookies.map(([name, value]) => [name.replace(/\d+$/, port), value])));
  };
  const begun = await browser.get(`${behind}/login/start`);
  move(behind, front);
  const back = await provider.logIn(begun.headers.get("location") ?? "", "ada");
  const ended = await browser.get(back);
  expect(ended.headers.get("location")).toBe("/");
  // Somebody who has seen the response cannot use it at the other gateway.
  expect((await browser.get(back.replace(front, behind))).headers.get("location")).toBe("/?login=expired");
  move(front, behind);
  for (const url of [front, behind]) {
    const session = await browser.get(`${url}/api/v1/session`);
    expect(await session.json()).toMatchObject({ isLoggedIn: true });
  }
});

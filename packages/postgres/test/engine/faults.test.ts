import { ClusterError, type Cluster } from "@toolwire/server/cluster";
import type { PostgresServer } from "@toolwire/engines";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { postgresCluster } from "../../src/index.ts";
import { joinByPg, joinByPostgresJs, type Node, start } from "./postgres.ts";

let server: PostgresServer;
const ending: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await start();
});

afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

afterAll(() => server.close());

const ROOM = { max: 1000, maxPerClient: 1000 };

function onEnd(end: () => Promise<void>): void {
  ending.push(end);
}

/** Runs a statement as an operator would. */
async function operate(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Ends the connections on which nodes listen, once there are two of them. */
async function killListeners(): Promise<void> {
  const those = "from pg_stat_activity where query ilike 'listen%' and pid <> pg_backend_pid()";
  await vi.waitFor(async () => expect(await operate(`select pid ${those}`)).toHaveLength(2), 20_000);
  await operate(`select pg_terminate_backend(pid) ${those}`);
}

/** The changes that a node hears, each once, and how often it was told that it has missed some. */
function hear({ bus }: Cluster): { readonly changes: Set<string>; missed: number; readonly states: boolean[] } {
  const heard = { changes: new Set<string>(), missed: 0, states: [] as boolean[] };
  bus.listen({
    message: ({ body }) => body,
    changes: ({ changes }) => {
      for (const change of changes) heard.changes.add(change);
    },
    missed: () => void (heard.missed += 1),
    stateChanged: (isUp) => heard.states.push(isUp),
  });
  return heard;
}

function showErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}

async function findCode(pending: Promise<unknown>): Promise<string> {
  return pending.then(
    () => "done",
    (error: unknown) => (error instanceof ClusterError ? error.code : String(error)),
  );
}

describe.each([
  ["pg", joinByPg],
  ["postgres.js", joinByPostgresJs],
] as const)("A cluster in Postgres by %s", (_name, join) => {
  async function joinNode(): Promise<Node> {
    const node = await join(server.url, { deadline: 1000 });
    onEnd(() => node.end());
    return node;
  }

  it("gives up on a Postgres that hangs, refuses at once while it does, and goes on when it runs again", async () => {
    const [one, other] = [await joinNode(), await joinNode()];
    const heard = hear(other);
    await one.sessions.create({ id: "session", facts: "{}" }, 60_000, ROOM);
    server.pause();
    try {
      const codes = await Promise.all(Array.from({ length: 20 }, async () => findCode(one.sessions.get("session"))));
      expect(new Set(codes)).toEqual(new Set(["UNAVAILABLE"]));
      expect(one.bus.isUp).toBe(false);
      const again = await Promise.allSettled(Array.from({ length: 200 }, () => one.once.claim("key", 1000)));
      // One of them may be a probe, which waits until the deadline.
      const refused = again.filter(
        ({ status, ...rest }) => status === "rejected" && JSON.stringify(rest, showErrors).includes("a moment ago"),
      );
      expect(refused.length).toBeGreaterThanOrEqual(199);
      await vi.waitFor(() => expect(other.bus.isUp).toBe(false), 20_000);
    } finally {
      server.resume();
    }
    await vi.waitFor(async () => expect(await findCode(one.sessions.get("session"))).toBe("done"), 20_000);
    expect(await one.sessions.get("session")).toMatchObject({ id: "session" });
    await vi.waitFor(() => expect(one.bus.isUp && other.bus.isUp).toBe(true), 20_000);
    await vi.waitFor(async () => expect(await findCode(one.bus.announce(["after"]))).toBe("done"), 20_000);
    await vi.waitFor(() => expect(heard.changes).toContain("after"), 20_000);
    expect(heard.states.slice(-2)).toEqual([false, true]);
    await one.sessions.end("session");
  });

  it("hears changes that were announced while the connection that listens was gone", async () => {
    const [one, other] = [await joinNode(), await joinNode()];
    const heard = hear(other);
    for (let round = 0; round < 5; round++) {
      const announced = Array.from({ length: 3 }, (_, number) => `${other.node} ${round} ${number}`);
      const killing = killListeners();
      for (const change of announced) await one.bus.announce([change]);
      await killing;
      await vi.waitFor(() => expect([...heard.changes]).toEqual(expect.arrayContaining(announced)), 20_000);
    }
    expect(heard.missed).toBe(0);
    const reply = one.bus.request(other.node, { id: "1", kind: "echo", body: "still there" }, { timeout: 20_000 });
    expect(await reply).toBe("still there");
  });

  it("delivers a request whose first notification was lost, once", async () => {
    const [one, other] = [await joinNode(), await joinNode()];
    let handled = 0;
    other.bus.listen({ message: () => ++handled, changes() {}, missed() {} });
    for (let round = 1; round <= 3; round++) {
      const killing = killListeners();
      const message = { id: `lost ${round}`, kind: "count", body: "x".repeat(round * 5000) };
      const sent = one.bus.request(other.node, message, { timeout: 20_000 });
      await killing;
      expect(await sent).toBe(round);
    }
    expect(handled).toBe(3);
  });

  it("does not take a node for gone whose heartbeats a crash has wiped out, and takes a killed one for gone", async () => {
    const [one, other] = [await joinNode(), await joinNode()];
    hear(other);
    await server.crash();
    await server.restart();
    const ask = async (): Promise<string> =>
      findCode(one.bus.request(other.node, { id: crypto.randomUUID(), kind: "echo", body: 1 }, { timeout: 500 }));
    const codes: string[] = [];
    await vi.waitFor(async () => {
      codes.push(await ask());
      expect(codes.at(-1)).toBe("done");
    }, 20_000);
    expect(codes).not.toContain("NODE_GONE");
    // As if its last heartbeat were long ago, and this node had been there all the time.
    await operate(`update toolwire.node set since = now() - interval '1 hour' where name = '${one.node}'`);
    await operate(`insert into toolwire.node (name, since, expires_at) values ('killednode', now(), now())`);
    const killed = one.bus.request("killednode", { id: "2", kind: "echo", body: 1 }, { timeout: 500 });
    expect(await findCode(killed)).toBe("NODE_GONE");
  });

  it("keeps the keys through a crash, and nothing else", async () => {
    const node = await joinNode();
    for (const { id } of await node.keys.list()) await node.keys.remove(id);
    await node.keys.add({ id: "key", secret: "secret" }, undefined);
    await node.sessions.create({ id: "lost", facts: "{}" }, 60_000, ROOM);
    await node.once.claim("proof", 60_000);
    await server.crash();
    await server.restart();
    await vi.waitFor(async () => expect(await findCode(node.sessions.get("lost"))).toBe("done"), 20_000);
    expect(await node.sessions.get("lost")).toBeUndefined();
    expect(await node.once.claim("proof", 60_000)).toBe(true);
    expect((await node.keys.list()).map(({ id }) => id)).toEqual(["key"]);
    await node.keys.remove("key");
  });

  it("shows no id of a session to others: not in tables, not in notifications, not in errors", async () => {
    const [one, other] = [await joinNode(), await joinNode()];
    const id = "credential-of-a-session";
    const spy = new pg.Client({ connectionString: server.url });
    await spy.connect();
    onEnd(() => spy.end());
    const payloads: string[] = [];
    spy.on("notification", ({ payload }) => payloads.push(payload ?? ""));
    for (const channel of ["all", one.node, other.node]) await spy.query(`listen "toolwire.${channel}"`);
    hear(other);
    await one.sessions.create({ id, facts: "{}" }, 60_000, ROOM);
    await one.events.append(id, "p1", [{ sequence: 1, data: "1" }], { ttl: 60_000, maxBytes: 1000 });
    await one.bus.request(other.node, { id: "small", kind: "x", body: { session: id } }, { timeout: 5000 });
    await one.bus.broadcast({ id: "all", kind: "x", body: { session: id } });
    await one.limits.take(id, { limit: 1, window: 1000 });
    await one.once.claim(id, 1000);
    await vi.waitFor(() => expect(payloads.length).toBeGreaterThanOrEqual(3));
    expect(payloads.some((payload) => payload.includes("credential"))).toBe(false);
    for (const table of ["session", "stream", "event", "bucket", "once", "message"]) {
      const rows = await operate(`select t::text as row from toolwire.${table} t`);
      expect(rows.filter(({ row }) => String(row).includes("credential"))).toEqual([]);
    }
    await operate("alter table toolwire.session rename to hidden");
    try {
      const error = await one.sessions.get(id).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("42P01") as string });
      expect(JSON.stringify([error, String((error as Error).stack), (error as Error).cause])).not.toContain(
        "credential",
      );
    } finally {
      await operate("alter table toolwire.hidden rename to session");
    }
  });

  it("ignores notifications of roles that do not know the secret", async () => {
    const [one, other] = [await joinNode(), await joinNode()];
    const messages: unknown[] = [];
    other.bus.listen({ message: (message) => messages.push(message), changes() {}, missed() {} });
    const forged = Buffer.from(JSON.stringify({ type: "message", id: "1", kind: "x", from: one.node, body: "1" }));
    for (const payload of [
      "",
      "s",
      "c",
      "p999",
      "g",
      `g${other.node}`,
      `s${forged.toString("base64")}`,
      "s====",
      "x",
    ]) {
      await operate(`select pg_notify('toolwire.${other.node}', '${payload}')`);
    }
    await one.bus.request(other.node, { id: "true", kind: "x", body: 1 }, { timeout: 5000 });
    expect(messages).toEqual([{ id: "true", kind: "x", body: 1 }]);
  });

  it("takes any text, as it is", async () => {
    const node = await joinNode();
    const texts = ["\u0000", "a\u0000b", "\u0001", '\u0001"a"', "\ud800", "\udc00x", "{}", '"\\', "日本 🚀", ""];
    for (const [index, text] of texts.entries()) {
      const id = `any ${node.node} ${index}`;
      await node.sessions.create({ id, facts: text, client: text }, 60_000, ROOM);
      await node.sessions.update(id, { watch: text, logLevel: text });
      await node.events.append(id, text, [{ sequence: 1, data: text }], { ttl: 60_000, maxBytes: 1000 });
      const found = await node.sessions.get(id);
      expect(found).toMatchObject({ facts: text, client: text, logLevel: text, watched: [text] });
      expect(await node.events.read(id, text, 0, 10)).toMatchObject({ events: [{ sequence: 1, data: text }] });
      expect(await node.once.claim(`${id} ${text}`, 60_000)).toBe(true);
      await node.sessions.update(id, { unwatch: text });
      expect((await node.sessions.get(id))?.watched).toEqual([]);
      expect(await node.sessions.end(id)).toBe(true);
    }
    const heard = hear(node);
    await node.bus.announce(texts);
    await vi.waitFor(() => expect([...heard.changes]).toEqual(texts));
  });
});

describe("A cluster in Postgres", () => {
  it("leaves the pool of `pg` open, and gives every connection back", async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 3 });
    onEnd(() => pool.end());
    const cluster = await postgresCluster(pool);
    await Promise.all(Array.from({ length: 10 }, (_, index) => cluster.once.claim(`${cluster.node} ${index}`, 1000)));
    expect(pool.totalCount - pool.idleCount).toBe(1);
    await cluster.close();
    await vi.waitFor(() => expect(pool.totalCount - pool.idleCount).toBe(0));
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect(await findCode(cluster.sessions.get("any"))).toBe("UNAVAILABLE");
    expect(await findCode(cluster.bus.broadcast({ id: "1", kind: "x", body: 1 }))).toBe("UNAVAILABLE");
  });

  it("is refused while Postgres cannot be reached", async () => {
    const pool = new pg.Pool({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
    onEnd(() => pool.end());
    expect(await findCode(postgresCluster(pool))).toBe("UNAVAILABLE");
  });
});

import { UsageError } from "@toolwire/protocol";
import type { PostgresServer } from "@toolwire/engines";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Engine } from "../../src/engine/engine.ts";
import { PgDatabase } from "../../src/client/pg.ts";
import { postgresSchema } from "../../src/index.ts";
import { Sweeper } from "../../src/upkeep/sweeper.ts";
import { joinByPg, joinByPostgresJs, start } from "./postgres.ts";

let server: PostgresServer;
let operator: pg.Pool;

beforeAll(async () => {
  server = await start();
  operator = new pg.Pool({ connectionString: server.url });
});

afterAll(async () => {
  await operator.end();
  await server.close();
});

/** The address of the server for another role. */
function as(role: string): string {
  const url = new URL(server.url);
  url.username = role;
  return url.href;
}

describe("The tables of a cluster", () => {
  it("are created once by ten nodes that join at the same moment", async () => {
    const joining = Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? joinByPg : joinByPostgresJs)(server.url, { schema: "at_once", deadline: 20_000 }),
    );
    const nodes = await Promise.all(joining);
    try {
      const [first] = nodes;
      await first?.once.claim("key", 60_000);
      for (const { once } of nodes) expect(await once.claim("key", 60_000)).toBe(false);
    } finally {
      await Promise.all(nodes.map((node) => node.end()));
    }
  });

  it("may be created beforehand, again and again, for a role that may create nothing", async () => {
    await operator.query(`create role "app role" login; revoke create on database postgres from "app role"`);
    await expect(joinByPg(as("app role"), { schema: "granted" })).rejects.toThrow(UsageError);
    await expect(joinByPg(as("app role"), { schema: "granted" })).rejects.toThrow(
      'may not create the schema granted. Run the SQL that `postgresSchema({ schema: "granted", role })` returns',
    );
    await operator.query(postgresSchema({ schema: "granted" }));
    await expect(joinByPg(as("app role"), { schema: "granted" })).rejects.toThrow("may not use the tables in");
    for (let times = 0; times < 2; times++) {
      await operator.query(postgresSchema({ schema: "granted", role: "app role" }));
    }
    const node = await joinByPg(as("app role"), { schema: "granted", createTables: false });
    try {
      await node.sessions.create({ id: "session", facts: "{}" }, 60_000, { max: 10, maxPerClient: 10 });
      await node.events.append("session", "p1", [{ sequence: 1, data: "1" }], { ttl: 60_000, maxBytes: 1000 });
      await node.events.forget("session", "p1");
      expect(await node.sessions.end("session")).toBe(true);
      expect(await node.keys.add({ id: "key", secret: "secret" }, undefined)).toBe(true);
      await node.keys.remove("key");
      expect(await node.limits.take("key", { limit: 1, window: 1000 })).toBe(0);
      await node.bus.announce(["change"]);
      await node.bus.broadcast({ id: "1", kind: "large", body: "x".repeat(20_000) });
    } finally {
      await node.end();
    }
  });

  it("are not created if that is not wanted", async () => {
    await expect(joinByPg(server.url, { schema: "unwanted", createTables: false })).rejects.toThrow(
      "There are no tables in the schema unwanted.",
    );
  });

  it("of another version are refused", async () => {
    await operator.query(postgresSchema({ schema: "later" }));
    await operator.query("update later.installation set version = 2");
    await expect(joinByPg(server.url, { schema: "later" })).rejects.toThrow("have the version 2, and this release");
  });

  it("of two schemas in one database are two clusters", async () => {
    const [one, other] = [
      await joinByPg(server.url, { schema: "first_cluster" }),
      await joinByPg(server.url, { schema: "second_cluster" }),
    ];
    try {
      await one.once.claim("key", 60_000);
      expect(await other.once.claim("key", 60_000)).toBe(true);
    } finally {
      await one.end();
      await other.end();
    }
  });

  it("lose rows whose time has ended, and no others, with several nodes sweeping at once", async () => {
    const nodes = [await joinByPg(server.url, { schema: "swept" }), await joinByPg(server.url, { schema: "swept" })];
    const [node] = nodes;
    if (node === undefined) throw new Error("There is no node.");
    const engines = nodes.map(() => new Engine(new PgDatabase(operator), 20_000));
    try {
      const room = { max: 10_000, maxPerClient: 10_000 };
      for (let number = 0; number < 3; number++) {
        await node.sessions.create({ id: `ended ${number}`, facts: "{}" }, 1, room);
        await node.events.append(`ended ${number}`, "p1", [{ sequence: 1, data: "1" }], { ttl: 1, maxBytes: 1000 });
        await node.once.claim(`ended ${number}`, 1);
        await node.limits.take(`ended ${number}`, { limit: 10, window: 1 });
      }
      await operator.query(
        "insert into swept.once select sha256(number::text::bytea), now() from generate_series(1, 3000) number",
      );
      await node.sessions.create({ id: "kept", facts: "{}" }, 60_000, room);
      await node.events.append("kept", "p1", [{ sequence: 1, data: "1" }], { ttl: 60_000, maxBytes: 1000 });
      await node.once.claim("kept", 60_000);
      await node.limits.take("kept", { limit: 1, window: 60_000 });
      await Promise.all(engines.map((engine) => new Sweeper(engine, "swept").sweep()));
      for (const table of ["session", "stream", "event", "once", "bucket"]) {
        const { rows } = await operator.query(`select count(*)::int as count from swept.${table}`);
        expect({ table, rows }).toEqual({ table, rows: [{ count: 1 }] });
      }
      expect(await node.sessions.get("kept")).toBeDefined();
    } finally {
      await Promise.all(nodes.map((each) => each.end()));
    }
  });
});

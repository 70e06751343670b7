import { setImmediate } from "node:timers/promises";
import { ClusterError } from "@toolwire/server/cluster";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PgDatabase } from "../src/client/pg.ts";
import { Engine, prepare } from "../src/engine/engine.ts";
import { decodeText, encodeText, hashKey } from "../src/engine/values.ts";
import { FakePool, postgresError } from "./fake-pool.ts";

const STATEMENT = prepare("select $1::text as one");

function make(pool: FakePool): Engine {
  return new Engine(new PgDatabase(pool), 2000);
}

async function fail(engine: Engine): Promise<ClusterError> {
  const error = await engine.run(STATEMENT, ["secret"]).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClusterError)) throw new Error(`Not a ClusterError: ${String(error)}`);
  return error;
}

describe("A statement", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => vi.useRealTimers());

  it("that is not answered is given up at the deadline, and its connection is destroyed", async () => {
    const pool = new FakePool(() => new Promise(() => {}));
    const engine = make(pool);
    const failing = fail(engine);
    await vi.advanceTimersByTimeAsync(1999);
    expect(pool.released).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await failing).toMatchObject({
      code: "UNAVAILABLE",
      message: "Postgres has not answered within 2000 milliseconds.",
    });
    expect(pool.released).toEqual([true]);
    expect(engine.isUp).toBe(false);
  });

  it("that gets a connection too late gives it back unused", async () => {
    const pool = new FakePool(async () => []);
    let grant = (): void => {};
    const connect = pool.connect.bind(pool);
    pool.connect = () => new Promise((resolve) => (grant = () => resolve(connect())));
    const failing = fail(make(pool));
    await vi.advanceTimersByTimeAsync(2000);
    expect((await failing).code).toBe("UNAVAILABLE");
    grant();
    await setImmediate();
    expect(pool.statements).toEqual([]);
    expect(pool.released).toEqual([false]);
  });

  it("that fails shows neither its values nor the error of the client", async () => {
    const pool = new FakePool((_text, values) =>
      Promise.reject(postgresError("22P02", `invalid input: ${String(values)}`, values)),
    );
    const error = await fail(make(pool));
    expect(error.message).toBe("Postgres has failed with 22P02.");
    expect(error.cause).toBeUndefined();
    expect(JSON.stringify(error) + String(error.stack)).not.toContain("secret");
    expect(pool.released).toEqual([false]);
  });

  it("that fails says what Postgres says about roles and tables", async () => {
    const pool = new FakePool(() => Promise.reject(postgresError("42501", "permission denied for schema toolwire")));
    expect((await fail(make(pool))).message).toBe(
      "Postgres has failed with 42501: permission denied for schema toolwire.",
    );
  });

  it("that got in the way of another one is repeated a few times", async () => {
    let attempts = 0;
    const pool = new FakePool(async () => {
      attempts += 1;
      if (attempts < 3) throw postgresError("40P01", "deadlock detected");
      return [{ one: "1" }];
    });
    expect(await make(pool).run(STATEMENT, ["1"])).toEqual([{ one: "1" }]);
    pool.answer = () => Promise.reject(postgresError("40001", "could not serialize"));
    pool.statements.length = 0;
    expect((await fail(make(pool))).message).toBe("Postgres has failed with 40001.");
    expect(pool.statements).toHaveLength(4);
  });

  it("is refused at once after three failures in a row, but for one each half second, until one succeeds", async () => {
    const pool = new FakePool(() => Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })));
    const engine = make(pool);
    const states: boolean[] = [];
    engine.stateChanged.add((isUp) => states.push(isUp));
    for (let attempt = 0; attempt < 10; attempt++) await fail(engine);
    expect(pool.statements).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(500);
    expect((await fail(engine)).message).toBe("Postgres cannot be reached (ECONNREFUSED).");
    expect((await fail(engine)).message).toBe("Postgres could not be reached a moment ago.");
    expect(pool.statements).toHaveLength(4);
    pool.answer = async () => [];
    await vi.advanceTimersByTimeAsync(500);
    for (let attempt = 0; attempt < 5; attempt++) await engine.run(STATEMENT, ["1"]);
    expect(states).toEqual([false, true]);
    expect(engine.isUp).toBe(true);
  });

  it("that Postgres refuses is no sign that Postgres is down", async () => {
    const pool = new FakePool(() => Promise.reject(postgresError("22003", "out of range")));
    const engine = make(pool);
    for (let attempt = 0; attempt < 10; attempt++) await fail(engine);
    expect(pool.statements).toHaveLength(10);
    expect(engine.isUp).toBe(true);
  });

  it("of a node that has left is refused", async () => {
    const pool = new FakePool(async () => []);
    const engine = make(pool);
    engine.close();
    expect((await fail(engine)).message).toBe("This node has left its cluster.");
    expect(pool.statements).toEqual([]);
  });
});

describe("An idle connection that breaks", () => {
  it("does not end the process while the cluster has the pool", () => {
    const pool = new FakePool(async () => []);
    const database = new PgDatabase(pool);
    expect(() => pool.emit("error", new Error("lost"))).not.toThrow();
    database.release();
    expect(pool.listenerCount("error")).toBe(0);
  });
});

describe("Texts", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("\u0000", "\u0001", "\ud800", '"', "\\", "a") }),
  );

  it("come back as they were, and are kept without NUL and halves of characters", () => {
    fc.assert(
      fc.property(text, (given) => {
        const kept = encodeText(given);
        expect(decodeText(kept)).toBe(given);
        expect(kept).not.toContain("\u0000");
        expect(Buffer.from(kept).toString()).toBe(kept);
      }),
    );
  });

  it("that differ have different hashes as keys", () => {
    expect(hashKey("\ud800")).not.toBe(hashKey("\udc00"));
    expect(hashKey("a")).toMatch(/^[0-9a-f]{64}$/);
    expect(() => hashKey("x".repeat(1025))).toThrow(ClusterError);
  });
});

import { UsageError } from "@toolwire/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { postgresCluster, postgresSchema } from "../src/index.ts";
import { FakePool } from "./fake-pool.ts";

const pool = new FakePool(async () => []);

function refuse(client: unknown, options?: unknown): Promise<string> {
  return postgresCluster(client as FakePool, options as {}).then(
    () => "nothing",
    (error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      return error.message;
    },
  );
}

describe("postgresCluster", () => {
  it("says what to pass instead of what is no pool, and shows no connection string", async () => {
    const message = await refuse("postgres://user:password@host/database");
    expect(message).toContain(
      "takes a pool of `pg`, as in `new pg.Pool({ connectionString })`, or the `sql` of `postgres`",
    );
    expect(message).not.toContain("password");
    expect(await refuse({ connect() {}, query() {} })).toContain("got a single connection");
    for (const client of [undefined, null, 1, {}, [], () => {}, { connect() {} }]) {
      expect(await refuse(client)).toContain("postgresCluster takes a pool of `pg`");
    }
  });

  it("refuses a pool that has no connection left once one listens", async () => {
    const small = Object.assign(new FakePool(async () => []), { options: { max: 1 } });
    expect(await refuse(small)).toContain("set `max` to at least 2");
  });

  it("refuses options that it does not have, and values that they cannot have", async () => {
    expect(await refuse(pool, { shema: "x" })).toContain("Did you mean `schema`?");
    expect(await refuse(pool, { deadline: 0 })).toContain("`deadline` must be");
    expect(await refuse(pool, { maxMessageBytes: Number.NaN })).toContain("`maxMessageBytes` must be");
    expect(await refuse(pool, { createTables: "no" })).toContain("`createTables` must be true or false");
    expect(await refuse(pool, null)).toContain("options of postgresCluster must be an object");
  });
});

describe("postgresSchema", () => {
  it("takes plain names of schemas only, since they become parts of statements", () => {
    for (const schema of ["", "a b", 'a"b', "a;drop", "A", "1a", "a.b", "pg_a", "ä", "a\n", "x".repeat(41), 5, null]) {
      expect(() => postgresSchema({ schema: schema as string })).toThrow(UsageError);
    }
    fc.assert(
      fc.property(fc.string(), (schema) => {
        let script: string;
        try {
          script = postgresSchema({ schema });
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          return;
        }
        expect(script).toBe(postgresSchema({ schema: "x" }).replaceAll(/\bx\b/g, schema));
      }),
    );
  });

  it("quotes the name of a role, whatever is in it", () => {
    expect(postgresSchema({ role: 'a"; drop table b; --' })).toContain('to "a""; drop table b; --";');
    for (const role of ["", "a\u0000b", "x".repeat(64), 5]) {
      expect(() => postgresSchema({ role: role as string })).toThrow(UsageError);
    }
  });
});

/** server/utilities/pagination and server/utilities/caching of 2026-07-28. */
import { describe, expect, test } from "vitest";
import { createServer, prompt, resource, tool, type Server, type ServerOptions } from "../../../src/index.ts";
import { LegacyClient, ModernClient, type Json } from "../../wire-client.ts";

function make(count: number, options: Partial<ServerOptions> = {}): Server {
  const many = <T>(define: (n: number) => T): { [name: string]: T } =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, define(n)]));
  return createServer({
    name: "lists",
    version: "1",
    ...options,
    tools: many(() => tool({ run: () => "" })),
    prompts: many(() => prompt({ get: () => "" })),
    resources: {
      ...many((n) => resource({ uri: `r://${n}`, read: () => "" })),
      ...Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`t${n}`, resource({ template: `t${n}://{x}`, read: () => "" })]),
      ),
    },
  });
}

const LISTS = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
] as const;

async function walk(client: ModernClient | LegacyClient, method: string): Promise<Json[]> {
  const pages: Json[] = [await client.request(method)];
  while (pages.at(-1).nextCursor !== undefined && pages.length < 100) {
    pages.push(await client.request(method, { cursor: pages.at(-1).nextCursor }));
  }
  return pages;
}

const names = (pages: Json[], member: string): string[] =>
  pages.flatMap((page) => page[member].map(({ name }: { name: string }) => name));

describe.each(LISTS)("%s", (method, member) => {
  test("comes in pages that make up the whole, in order, in both eras", async () => {
    const server = make(7, { pageSize: 3 });
    const whole = names(await walk(new ModernClient(make(7)), method), member);
    for (const client of [
      new ModernClient(server),
      await LegacyClient.open(server),
      await LegacyClient.open(server, { revision: "2024-11-05" }),
    ]) {
      const pages = await walk(client, method);
      expect(pages.map((page) => page[member].length)).toStrictEqual([3, 3, 1]);
      expect(names(pages, member)).toStrictEqual(whole);
    }
  });

  test("the last page has no cursor, even if it is full", async () => {
    const pages = await walk(new ModernClient(make(6, { pageSize: 3 })), method);
    expect(pages).toHaveLength(2);
    expect(pages[1]).not.toHaveProperty("nextCursor");
  });

  test.each([
    "",
    "x",
    "AAAA",
    "dG9vbHM6OTk5",
    "dG9vbHM6MA==",
    "dG9vbHM6LTE=",
    "dG9vbHM6MS41",
    "dG9vbHM6MDE=",
    " ",
    "\u0000",
    "🦊",
    "x".repeat(10_000),
  ])("an invalid cursor SHOULD yield -32602: %j", async (cursor) => {
    const client = new ModernClient(make(3, { pageSize: 2 }));
    await expect(client.request(method, { cursor })).rejects.toMatchObject({ code: -32602 });
  });

  test("a cursor of another list is invalid", async () => {
    const client = new ModernClient(make(3, { pageSize: 1 }));
    for (const [other] of LISTS.filter(([name]) => name !== method)) {
      const { nextCursor } = await client.request(other);
      await expect(client.request(method, { cursor: nextCursor })).rejects.toMatchObject({ code: -32602 });
    }
  });

  test("cursors SHOULD be stable: another process with the same definition takes them", async () => {
    const [one, two] = [new ModernClient(make(5, { pageSize: 2 })), new ModernClient(make(5, { pageSize: 2 }))];
    const { nextCursor } = await one.request(method);
    expect(await two.request(method, { cursor: nextCursor })).toStrictEqual(
      await one.request(method, { cursor: nextCursor }),
    );
  });

  test("every page MUST carry a ttlMs and a cacheScope, and nothing of the kind is sent to legacy clients", async () => {
    const server = make(3, { pageSize: 2 });
    for (const page of await walk(new ModernClient(server), method)) {
      expect(page).toMatchObject({ ttlMs: 0, cacheScope: "private", resultType: "complete" });
    }
    for (const page of await walk(await LegacyClient.open(server), method)) {
      for (const absent of ["ttlMs", "cacheScope", "resultType", "_meta"]) expect(page).not.toHaveProperty(absent);
    }
  });

  test("the scope MUST be the same on all pages", async () => {
    const cache = { ttlMs: 60_000, scope: "public" } as const;
    const server = make(3, {
      pageSize: 1,
      cache: { tools: cache, prompts: cache, resources: cache, templates: cache },
    });
    const pages = await walk(new ModernClient(server), method);
    expect(pages).toHaveLength(3);
    for (const page of pages) expect(page).toMatchObject({ ttlMs: 60_000, cacheScope: "public" });
  });
});

describe("cursors", () => {
  test("survive additions and removals: nothing is skipped or repeated", async () => {
    const server = make(6, { pageSize: 2 });
    const client = new ModernClient(server);
    const first = await client.request("tools/list");
    server.tools.remove("n1");
    server.tools.remove("n2");
    server.tools.add("late", tool({ run: () => "" }));
    const second = await client.request("tools/list", { cursor: first.nextCursor });
    expect(names([second], "tools")).toStrictEqual(["n3", "n4"]);
    const third = await client.request("tools/list", { cursor: second.nextCursor });
    expect(names([third], "tools")).toStrictEqual(["n5", "late"]);
  });

  test("cursors of a list that families add to count through all of its members", async () => {
    const server = createServer({
      name: "members",
      version: "1",
      pageSize: 2,
      resources: {
        one: resource({ uri: "a://1", read: () => "" }),
        family: resource({
          template: "b://{n}",
          list: async () => [1, 2, 3, 4].map((n) => ({ uri: `b://${n}` })),
          read: () => "",
        }),
      },
    });
    const pages = await walk(new ModernClient(server), "resources/list");
    expect(pages.map(({ resources }) => resources.map(({ uri }: { uri: string }) => uri))).toStrictEqual([
      ["a://1", "b://1"],
      ["b://2", "b://3"],
      ["b://4"],
    ]);
    for (const page of pages) expect(page).toMatchObject({ ttlMs: 0, cacheScope: "private", resultType: "complete" });
    await expect(
      new ModernClient(server).request("resources/list", { cursor: btoa("members:99") }),
    ).rejects.toMatchObject({ code: -32602 });
  });
});

describe("sets", () => {
  test.each(LISTS)("%s MUST NOT vary by connection or by what was asked before", async (method) => {
    const server = make(3);
    const client = new ModernClient(server);
    const first = await client.request(method);
    for (const [name, params] of [
      ["tools/call", { name: "n0" }],
      ["prompts/get", { name: "n0" }],
      ["resources/read", { uri: "r://0" }],
      ["server/discover", {}],
    ] as const) {
      await client.request(name, params);
    }
    expect(await client.request(method)).toStrictEqual(first);
    expect(await new ModernClient(server).request(method)).toStrictEqual(first);
  });

  test.each(LISTS)(
    "%s MUST be answered if its capability is declared, even with an empty list",
    async (method, member) => {
      const client = new ModernClient(make(0));
      expect((await client.request(method))[member]).toStrictEqual([]);
    },
  );
});

describe("caching", () => {
  test("discovery and contents carry hints too", async () => {
    const server = make(1, {
      cache: { discover: { ttlMs: 1000, scope: "public" }, read: { ttlMs: 2000, scope: "public" } },
    });
    const client = new ModernClient(server);
    expect(await client.request("server/discover")).toMatchObject({ ttlMs: 1000, cacheScope: "public" });
    expect(await client.request("resources/read", { uri: "r://0" })).toMatchObject({
      ttlMs: 2000,
      cacheScope: "public",
    });
    expect(await new ModernClient(make(1)).request("resources/read", { uri: "r://0" })).toMatchObject({
      ttlMs: 0,
      cacheScope: "private",
    });
  });

  test("ttlMs MUST NOT be negative, whatever a handler says", async () => {
    const server = createServer({
      name: "stale",
      version: "1",
      resources: { a: resource({ uri: "a://b", read: () => ({ contents: "", ttlMs: -5.5 }) }) },
    });
    expect(await new ModernClient(server).request("resources/read", { uri: "a://b" })).toMatchObject({ ttlMs: 0 });
  });

  test("ttlMs MUST NOT be negative", () => {
    for (const ttlMs of [-1, Number.NaN, 1.5]) {
      expect(() => make(1, { cache: { tools: { ttlMs } } })).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT" }),
      );
      expect(() => make(1, { cache: { read: { ttlMs } } })).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT" }),
      );
    }
  });
});

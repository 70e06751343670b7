/** Entries that `accessControl` hides leave no trace: neither in pages, nor in cursors, nor in caches. */
import { describe, expect, test } from "vitest";
import {
  accessControl,
  createServer,
  prompt,
  resource,
  tool,
  type AccessRule,
  type ServerMiddleware,
  type Server,
  type ServerOptions,
} from "../../src/index.ts";
import { LegacyClient, ModernClient, type Json, type WireClient } from "../wire-client.ts";

/** A rule that hides whatever has this word in its name or URI. */
const hidesSecrets: AccessRule = (subject) => !JSON.stringify(subject).includes("secret");

/** A server with things of these names, of every kind. */
function define(names: readonly string[], options: Partial<ServerOptions> = {}): Server {
  const each = <T>(make: (name: string) => T): Record<string, T> =>
    Object.fromEntries(names.map((name) => [name, make(name)]));
  return createServer({
    name: "guarded",
    version: "1",
    pageSize: 2,
    middleware: [accessControl(hidesSecrets)],
    tools: each(() => tool({ run: () => "" })),
    prompts: each(() => prompt({ get: () => "" })),
    resources: {
      ...each((name) => resource({ uri: `docs://${name}`, read: () => "" })),
      ...Object.fromEntries(
        names.map((name) => [`${name}-family`, resource({ template: `${name}://{id}`, read: () => "" })]),
      ),
    },
    ...options,
  });
}

const LISTS = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
] as const;

/** All pages of a list. */
async function walk(client: WireClient, method: string): Promise<Json[]> {
  const pages: Json[] = [];
  for (let cursor: string | undefined; pages.length < 100;) {
    const page = await client.request(method, cursor === undefined ? {} : { cursor });
    pages.push(page);
    cursor = page.nextCursor as string | undefined;
    if (cursor === undefined) return pages;
  }
  throw new Error("The list does not end.");
}

const VISIBLE = ["a", "b", "c", "d", "e"];
const MIXED = ["secret1", "a", "secret2", "secret3", "b", "c", "secret4", "d", "e", "secret5", "secret6", "secret7"];

describe.each(LISTS)("in %s, entries that are hidden", (method, member) => {
  test.each(["2026-07-28", "2025-06-18"] as const)(
    "leave pages and cursors as if they did not exist, in %s",
    async (revision) => {
      const open = async (server: Server): Promise<WireClient> =>
        revision === "2026-07-28" ? new ModernClient(server) : LegacyClient.open(server, { revision });
      const pages = await walk(await open(define(MIXED)), method);
      expect(pages.map((page) => page[member].length)).toEqual([2, 2, 1]);
      expect(pages).toEqual(await walk(await open(define(VISIBLE)), method));
    },
  );

  test("leave no page behind that has nothing on it", async () => {
    const [all, none] = [
      define(["a", "b", "secret1", "secret2", "secret3"]),
      define(["secret1", "secret2", "secret3"]),
    ];
    expect(await walk(new ModernClient(all), method)).toHaveLength(1);
    const pages = await walk(new ModernClient(none), method);
    expect(pages.map((page) => page[member])).toEqual([[]]);
  });

  test("cannot be told from those that do not exist by a cursor that is made up", async () => {
    const client = new ModernClient(define(MIXED));
    const [first] = await walk(client, method);
    const page = async (name: string): Promise<Json> => {
      const [, place] = atob(first.nextCursor as string).split(/(?<=:)(?=[^:]*$)/);
      const cursor = btoa(atob(first.nextCursor as string).replace(place ?? "", name));
      return client.request(method, { cursor });
    };
    const suffix = member === "resourceTemplates" ? "-family" : "";
    expect(await page(`secret4${suffix}`)).toEqual(await page(`nothing${suffix}`));
  });

  test("a list goes on where it was, although the entry at the end of the last page is gone", async () => {
    const server = define(MIXED);
    const client = new ModernClient(server);
    const { nextCursor: cursor } = await client.request(method);
    for (const name of ["b", "b-family"]) {
      if (name === "b") for (const kind of ["tools", "prompts", "resources"] as const) server[kind].remove(name);
      else server.resources.remove(name);
    }
    const page = await client.request(method, { cursor });
    expect(page[member].map((item: Json) => item.name.slice(0, 1))).toEqual(["c", "d"]);
  });
});

describe("among members of families, entries that are hidden", () => {
  const members = (names: readonly string[]): Partial<ServerOptions> => ({
    resources: {
      about: resource({ uri: "docs://about", read: () => "" }),
      secret: resource({ uri: "docs://secret", read: () => "" }),
      note: resource({
        template: "notes://{id}",
        list: () => names.map((id) => ({ uri: `notes://${id}`, name: id })),
        read: () => "",
      }),
      mail: resource({
        template: "mails://{id}",
        list: () => names.map((id) => ({ uri: `mails://${id}`, name: id })),
        read: () => "",
      }),
    },
  });

  test("leave full pages, and no page behind that has nothing on it", async () => {
    const [mixed, visible] = await Promise.all(
      [MIXED, VISIBLE].map((names) => walk(new ModernClient(define([], members(names))), "resources/list")),
    );
    const urisOf = (pages: Json[] = []): Json => pages.map(({ resources }) => resources.map(({ uri }: Json) => uri));
    expect(urisOf(mixed)).toEqual(urisOf(visible));
    expect(urisOf(mixed)).toHaveLength(6);
    expect(urisOf(mixed).flat()).toHaveLength(11);
  });

  test("leave full pages, although some members are left out because nobody could read them", async () => {
    const names = ["a", "secret1", "x://unreadable", "b", "c", "x://unreadable2", "d"];
    const server = define([], {
      onDiagnostic() {},
      resources: {
        note: resource({
          template: "notes://{id}",
          list: () => names.map((id) => ({ uri: id.includes(":") ? id : `notes://${id}`, name: "n" })),
          read: () => "",
        }),
      },
    });
    const pages = await walk(new ModernClient(server), "resources/list");
    expect(pages.map(({ resources }) => resources.map(({ uri }: Json) => uri))).toEqual([
      ["notes://a", "notes://b"],
      ["notes://c", "notes://d"],
    ]);
  });

  test("leave no family to be asked for on a further page, if it has nothing to show", async () => {
    const server = define([], {
      resources: {
        about: resource({ uri: "docs://about", read: () => "" }),
        more: resource({ uri: "docs://more", read: () => "" }),
        note: resource({
          template: "notes://{id}",
          list: () => [{ uri: "notes://secret", name: "n" }],
          read: () => "",
        }),
      },
    });
    expect(await walk(new ModernClient(server), "resources/list")).toHaveLength(1);
  });
});

test("a rule is asked once about each entry of a list, also where several pages are looked at", async () => {
  const asked: string[] = [];
  const rule: AccessRule = (subject) => {
    if (subject.kind === "tool") asked.push(subject.name);
    return hidesSecrets(subject, undefined as never);
  };
  const client = new ModernClient(define(MIXED, { middleware: [accessControl(rule)] }));
  await client.request("tools/list");
  expect(asked).toEqual([...new Set(asked)]);
  expect(asked).toContain("c");
});

test("several rules hide what either of them hides, and pages are full all the same", async () => {
  const names = ["a", "x", "b", "secret", "c", "xx", "d"];
  const middleware = [accessControl((subject) => !JSON.stringify(subject).includes("x")), accessControl(hidesSecrets)];
  const pages = await walk(new ModernClient(define(names, { middleware })), "tools/list");
  expect(pages.map(({ tools }) => tools.map(({ name }: Json) => name))).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
});

test("entries that middleware adds to a list are hidden like the rest", async () => {
  const adds: ServerMiddleware = async (call, next) => {
    const result = (await next()) as { tools?: object[] };
    if (call.method !== "tools/list") return result;
    return {
      ...result,
      tools: [
        ...(result.tools ?? []),
        ...["secret", "added"].map((name) => ({ name, inputSchema: { type: "object" } })),
      ],
    };
  };
  const client = new ModernClient(define(["a"], { middleware: [accessControl(hidesSecrets), adds] }));
  const { tools } = await client.request("tools/list");
  expect(tools.map(({ name }: Json) => name)).toEqual(["a", "added"]);
});

describe("a result that a rule has let through is private for caches", () => {
  const cache = { scope: "public", ttlMs: 1000 } as const;
  const server = define([], {
    cache: { read: cache, tools: cache, resources: cache, discover: cache },
    resources: {
      plain: resource({ uri: "docs://plain", read: () => "" }),
      open: resource({ uri: "docs://open", read: () => ({ contents: "", cacheScope: "public", ttlMs: 5 }) }),
    },
  });
  const client = new ModernClient(server);

  test.each([
    ["docs://plain", 1000],
    ["docs://open", 5],
  ])("when %s is read", async (uri, ttlMs) => {
    expect(await client.request("resources/read", { uri })).toMatchObject({ cacheScope: "private", ttlMs });
  });

  test("when lists are read", async () => {
    expect(await client.request("resources/list")).toMatchObject({ cacheScope: "private", ttlMs: 1000 });
  });

  test("results that are the same for all callers stay public", async () => {
    expect(await client.request("server/discover")).toMatchObject({ cacheScope: "public", ttlMs: 1000 });
  });

  test("legacy clients are told nothing of caches", async () => {
    const legacy = await LegacyClient.open(server);
    const read = await legacy.request("resources/read", { uri: "docs://plain" });
    expect(read).not.toHaveProperty("cacheScope");
  });
});

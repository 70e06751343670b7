/**
 * The draft "Progressive Disclosure via Groups" (`io.modelcontextprotocol/groups`, 2026-09-28). The working group has vectors for another
 * experiment, with manifests and revisions; those that are about the same thing are named in brackets.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import { type GroupDefinitions, groups, type GroupsOptions } from "../../../src/experimental/groups/index.ts";
import { serveHttp } from "../../../src/http.ts";
import {
  accessControl,
  createServer,
  prompt,
  resource,
  type Server,
  type ServerExtension,
  type ServerMiddleware,
  type ServerOptions,
  tool,
} from "../../../src/index.ts";
import { modern, readJson } from "../../bindings/http/client.ts";
import { type Json, LegacyClient, ModernClient } from "../../wire-client.ts";

const ID = "io.modelcontextprotocol/groups";
const DECLARED = { capabilities: { extensions: { [ID]: {} } } };

const GROUPS: GroupDefinitions = {
  query: {
    title: "Queries",
    description: "Inspect tables.",
    instructions: "List tables first.",
    tools: ["list_tables", "server_version"],
    prompts: ["explain"],
    resources: ["db://schema"],
    _meta: { "com.example/kind": "workflow" },
  },
  operations: { description: "Inspect cluster health.", tools: (name) => /^cluster_|^server_/.test(name) },
  handbook: { description: "How we work.", instructions: "Read before you write." },
};

function define(
  definitions: GroupDefinitions = GROUPS,
  { pageSize, ...options }: Partial<ServerOptions> & GroupsOptions = {},
): Server {
  return createServer({
    name: "db",
    version: "1",
    tools: {
      list_tables: tool({ description: "Lists tables", scopes: ["read"], run: () => "tables" }),
      cluster_health: tool({ description: "Says how it is", run: () => "fine" }),
      server_version: tool({ description: "Says the version", run: () => "1" }),
      ping_db: tool({ description: "Always at hand", run: () => "pong" }),
    },
    prompts: { explain: prompt({ get: () => "Explain" }), hello: prompt({ get: () => "Hello" }) },
    resources: {
      schema: resource({ uri: "db://schema", read: () => "schema" }),
      readme: resource({ uri: "db://readme", read: () => "readme" }),
    },
    extensions: [groups(definitions, { pageSize })],
    ...options,
  });
}

function names(items: readonly { readonly name: string }[] = []): readonly string[] {
  return items.map(({ name }) => name);
}

async function listed(client: ModernClient | LegacyClient): Promise<object> {
  const { tools } = await client.request("tools/list");
  const { prompts } = await client.request("prompts/list");
  const { resources } = await client.request("resources/list");
  return { tools: names(tools), prompts: names(prompts), resources: names(resources) };
}

const EVERYTHING = {
  tools: ["list_tables", "cluster_health", "server_version", "ping_db"],
  prompts: ["explain", "hello"],
  resources: ["schema", "readme"],
};

/** Middleware that knows callers by a capability that they declare: tests over a channel have no other. */
function hideFrom(capability: string, ...hidden: readonly string[]): ServerMiddleware {
  return accessControl(({ name = "" }, { clientCapabilities: { experimental = {} } }) => {
    return !(capability in experimental && hidden.includes(name));
  });
}

describe("a client that declares groups", () => {
  test("gets the groups by name and purpose, without what is inside", async () => {
    const client = new ModernClient(define(), DECLARED);
    expect(await client.request("groups/list")).toMatchObject({
      resultType: "complete",
      groups: [
        {
          name: "query",
          title: "Queries",
          description: "Inspect tables.",
          _meta: { "com.example/kind": "workflow" },
        },
        { name: "operations", description: "Inspect cluster health." },
        { name: "handbook", description: "How we work." },
      ],
    });
    const [, operations] = (await client.request("groups/list")).groups;
    expect(Object.keys(operations)).toEqual(["name", "description"]);
  });

  test("does not find in lists what is in a group, and everything else (placement is exclusive)", async () => {
    const client = new ModernClient(define(), DECLARED);
    expect(await listed(client)).toEqual({ tools: ["ping_db"], prompts: ["hello"], resources: ["readme"] });
  });

  test("gets whole definitions with a group, as lists would have them [authorized-set, selective-expansion]", async () => {
    const server = define();
    const client = new ModernClient(server, DECLARED);
    const plain = new ModernClient(server);
    const all = {
      tools: (await plain.request("tools/list")).tools,
      prompts: (await plain.request("prompts/list")).prompts,
      resources: (await plain.request("resources/list")).resources,
    };
    const group = await client.request("groups/get", { name: "query" });
    expect(group.instructions).toBe("List tables first.");
    expect(group.contents).toEqual({
      tools: all.tools.filter(({ name }: Json) => name === "list_tables" || name === "server_version"),
      prompts: all.prompts.filter(({ name }: Json) => name === "explain"),
      resources: all.resources.filter(({ uri }: Json) => uri === "db://schema"),
    });
    expect(group.contents.tools[0]).toHaveProperty("inputSchema");
  });

  test("gets the same definition in every group that has it [shared-identity]", async () => {
    const client = new ModernClient(define(), DECLARED);
    const [query, operations] = await Promise.all(
      ["query", "operations"].map((name) => client.request("groups/get", { name })),
    );
    const find = ({ contents }: Json): unknown => contents.tools.find(({ name }: Json) => name === "server_version");
    expect(find(query)).toBeDefined();
    expect(find(query)).toEqual(find(operations));
  });

  test("gets at least instructions or contents, and nothing empty", async () => {
    const client = new ModernClient(define(), DECLARED);
    const { instructions, contents } = await client.request("groups/get", { name: "handbook" });
    expect([instructions, contents]).toEqual(["Read before you write.", undefined]);
    const operations = await client.request("groups/get", { name: "operations" });
    expect(operations).not.toHaveProperty("instructions");
    expect(Object.keys(operations.contents)).toEqual(["tools"]);
  });

  test("gets the same group however often it asks, and nothing changes by that (stateless)", async () => {
    const client = new ModernClient(define(), DECLARED);
    const before = await listed(client);
    const first = await client.request("groups/get", { name: "query" });
    expect(await client.request("groups/get", { name: "query" })).toEqual(first);
    expect(await listed(client)).toEqual(before);
  });

  test("is told -32002 about a group that there is not, as the draft requires", async () => {
    const client = new ModernClient(define(), DECLARED);
    for (const name of ["missing", "", "__proto__", "constructor", "Query", "query "]) {
      await expect(client.request("groups/get", { name })).rejects.toMatchObject({ code: -32_002, data: { name } });
    }
  });

  test("is told -32602 about parameters that make no sense", async () => {
    const client = new ModernClient(define(), DECLARED);
    await expect(client.request("groups/get", {})).rejects.toMatchObject({ code: -32_602 });
    await expect(client.request("groups/get", { name: 1 })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.request("groups/list", { cursor: 1 })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.request("groups/list", { cursor: "made up" })).rejects.toMatchObject({ code: -32_602 });
  });

  test("calls, gets and reads what is in groups without having asked for them: groups are no access control", async () => {
    const client = new ModernClient(define(), DECLARED);
    expect(await client.request("tools/call", { name: "cluster_health" })).toMatchObject({
      content: [{ text: "fine" }],
    });
    expect(await client.request("prompts/get", { name: "explain" })).toMatchObject({ messages: [{}] });
    expect(await client.request("resources/read", { uri: "db://schema" })).toMatchObject({ contents: [{}] });
  });

  test("reads many groups page by page", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [`g${index}`, { description: "One of many.", instructions: "x" }]),
    );
    const client = new ModernClient(define(many, { pageSize: 2 }), DECLARED);
    const pages: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.request("groups/list", cursor === undefined ? {} : { cursor });
      pages.push(names(page.groups));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(pages).toEqual([["g0", "g1"], ["g2", "g3"], ["g4"]]);
  });
});

describe("a client that does not declare groups", () => {
  test("lists everything as if there were no groups (flattened) [legacy-list]", async () => {
    const server = define();
    expect(await listed(new ModernClient(server))).toEqual(EVERYTHING);
    const legacy = await LegacyClient.open(server, { capabilities: { extensions: { [ID]: {} } } });
    expect(await listed(legacy)).toEqual(EVERYTHING);
  });

  test("is refused their methods, and told what to declare", async () => {
    const client = new ModernClient(define());
    for (const [method, params] of [
      ["groups/list", {}],
      ["groups/get", { name: "query" }],
    ] as const) {
      await expect(client.request(method, params)).rejects.toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: { extensions: { [ID]: {} } } },
      });
    }
  });

  test("is not refused anything else (not mandatory to connect)", async () => {
    const client = new ModernClient(define());
    expect(await client.request("server/discover")).toMatchObject({ capabilities: { extensions: { [ID]: {} } } });
    expect(await client.request("tools/call", { name: "ping_db" })).toMatchObject({ content: [{ text: "pong" }] });
  });
});

function declaring(extensions: object): { meta: Record<string, unknown> } {
  return { meta: { "io.modelcontextprotocol/clientCapabilities": { extensions } } };
}

describe("what a client declares counts for each request, and is not remembered", () => {
  test("over one HTTP connection", async () => {
    const { url, close } = await serveHttp(define(), { port: 0 });
    onTestFinished(() => close());
    const list = async (extensions: object): Promise<readonly string[]> => {
      const { result } = await readJson(await fetch(url, modern("tools/list", {}, declaring(extensions))));
      return names(result?.["tools"] as never);
    };
    expect(await list({ [ID]: {} })).toEqual(["ping_db"]);
    expect(await list({})).toEqual(EVERYTHING.tools);
    expect(await list({ [ID]: {} })).toEqual(["ping_db"]);
    const got = await readJson(await fetch(url, modern("groups/get", { name: "operations" }, declaring({ [ID]: {} }))));
    expect(got.result).toMatchObject({ contents: { tools: [{ name: "cluster_health" }, { name: "server_version" }] } });
  });

  test("and no cache may give the list of one client to another, whatever the server says about caching", async () => {
    const server = define(GROUPS, { cache: { tools: { ttlMs: 5000, scope: "public" } } });
    for (const client of [new ModernClient(server), new ModernClient(server, DECLARED)]) {
      expect(await client.request("tools/list")).toMatchObject({ ttlMs: 5000, cacheScope: "private" });
    }
  });
});

describe("a caller who may not know of everything", () => {
  const CALLER = { capabilities: { extensions: { [ID]: {} }, experimental: { guest: {} } } };

  test("gets groups with what is left for this caller [hidden-groups]", async () => {
    const server = define(GROUPS, { middleware: [hideFrom("guest", "list_tables")] });
    const { contents } = await new ModernClient(server, CALLER).request("groups/get", { name: "query" });
    expect(names(contents.tools)).toEqual(["server_version"]);
    const whole = await new ModernClient(server, DECLARED).request("groups/get", { name: "query" });
    expect(names(whole.contents.tools)).toEqual(["list_tables", "server_version"]);
  });

  test("cannot tell a group that is hidden altogether from one that there is not [hidden-groups]", async () => {
    const hidden = hideFrom("guest", "cluster_health", "server_version");
    const server = define(GROUPS, { middleware: [hidden] });
    const client = new ModernClient(server, CALLER);
    expect(names((await client.request("groups/list")).groups)).toEqual(["query", "handbook"]);
    const ask = (name: string): Promise<unknown> =>
      client.request("groups/get", { name }).catch(({ code, message }: Json) => [code, message.replace(name, "…")]);
    expect(await ask("operations")).toEqual(await ask("missing"));
  });

  test("does not get instructions whose tools are all hidden", async () => {
    const definitions = { secret: { description: "Secret.", instructions: "Press the button.", tools: ["ping_db"] } };
    const server = define(definitions, { middleware: [hideFrom("guest", "ping_db")] });
    const client = new ModernClient(server, CALLER);
    expect((await client.request("groups/list")).groups).toEqual([]);
    await expect(client.request("groups/get", { name: "secret" })).rejects.toMatchObject({ code: -32_002 });
  });

  test("has pages that do not tell how many groups are hidden", async () => {
    const definitions = Object.fromEntries(
      ["cluster_health", "ping_db", "server_version"].map((name) => [
        name.replace("_", "-"),
        { description: "One tool.", tools: [name] },
      ]),
    );
    const server = define(definitions, { pageSize: 1, middleware: [hideFrom("guest", "cluster_health", "ping_db")] });
    const { groups: shown, nextCursor } = await new ModernClient(server, CALLER).request("groups/list");
    expect([names(shown), nextCursor]).toEqual([["server-version"], undefined]);
  });

  test("is refused calls as ever, in groups or not [revoked-call]", async () => {
    const server = define(GROUPS, { middleware: [hideFrom("guest", "cluster_health")] });
    const client = new ModernClient(server, CALLER);
    await expect(client.request("tools/call", { name: "cluster_health" })).rejects.toMatchObject({ code: -32_602 });
  });
});

test("groups change with what a server offers while it runs [stale-membership]", async () => {
  const server = define();
  const client = new ModernClient(server, DECLARED);
  server.tools.add("cluster_size", tool({ run: () => "3" }));
  server.tools.remove("cluster_health");
  const { contents } = await client.request("groups/get", { name: "operations" });
  expect(names(contents.tools)).toEqual(["server_version", "cluster_size"]);
  expect(names((await client.request("tools/list")).tools)).toEqual(["ping_db"]);
  server.tools.remove("server_version");
  server.tools.remove("cluster_size");
  expect(names((await client.request("groups/list")).groups)).toEqual(["query", "handbook"]);
});

describe("groups inside of groups", () => {
  const NESTED: GroupDefinitions = {
    db: { description: "Everything about the database.", groups: ["query", "operations"] },
    admin: { description: "For admins.", instructions: "Be careful.", groups: ["operations", "rest"] },
    query: GROUPS["query"]!,
    operations: GROUPS["operations"]!,
    rest: { description: "What is left.", tools: ["ping_db"] },
  };

  test("are listed in their parents, and not on their own", async () => {
    const client = new ModernClient(define(NESTED), DECLARED);
    expect(names((await client.request("groups/list")).groups)).toEqual(["db", "admin"]);
    const { contents } = await client.request("groups/get", { name: "db" });
    expect(contents).toEqual({
      groups: [
        { name: "query", title: "Queries", description: "Inspect tables.", _meta: { "com.example/kind": "workflow" } },
        { name: "operations", description: "Inspect cluster health." },
      ],
    });
  });

  test("are the same in all parents, and can be got by their names", async () => {
    const client = new ModernClient(define(NESTED), DECLARED);
    const [inDb, inAdmin] = await Promise.all(["db", "admin"].map((name) => client.request("groups/get", { name })));
    expect(inDb.contents.groups[1]).toEqual(inAdmin.contents.groups[0]);
    expect(names((await client.request("groups/get", { name: "rest" })).contents.tools)).toEqual(["ping_db"]);
    expect(await listed(client)).toMatchObject({ tools: [] });
  });

  test("are left out if the caller may not know of them, and so are parents of nothing", async () => {
    const all = ["list_tables", "cluster_health", "server_version"];
    const definitions = { ...NESTED, query: { ...NESTED["query"]!, prompts: [], resources: [] } };
    const server = define(definitions, { middleware: [hideFrom("guest", ...all)] });
    const guest = { capabilities: { extensions: { [ID]: {} }, experimental: { guest: {} } } };
    const client = new ModernClient(server, guest);
    expect(names((await client.request("groups/list")).groups)).toEqual(["admin"]);
    const { contents } = await client.request("groups/get", { name: "admin" });
    expect(names(contents.groups)).toEqual(["rest"]);
    await expect(client.request("groups/get", { name: "db" })).rejects.toMatchObject({ code: -32_002 });
  });
});

describe("a group is refused when the server is defined", () => {
  const ok = { description: "Fine.", instructions: "x" };
  const long = "a".repeat(65);

  test.each<[string, object, string]>([
    ["with capital letters", { Query: ok }, 'group "Query": its name must have'],
    ["with a hyphen in front", { "-a": ok }, "its name must have"],
    ["with a hyphen at the end", { "a-": ok }, "its name must have"],
    ["with two hyphens in a row", { "a--b": ok }, "its name must have"],
    ["with an underscore", { a_b: ok }, "its name must have"],
    ["with no name", { "": ok }, "its name must have"],
    ["with a name that is too long", { [long]: ok }, "its name must have"],
    ["without a description", { a: { instructions: "x" } }, "it needs a `description`"],
    ["with nothing in it", { a: { description: "x" } }, "it needs `instructions`, or"],
    ["with empty lists only", { a: { description: "x", tools: [], groups: [] } }, "it needs `instructions`, or"],
    ["with tools that are no names", { a: { description: "x", tools: [1] } }, "`tools` must be a list of names"],
    ["with one name in place of a list", { a: { description: "x", tools: "b" } }, "`tools` must be a list of names"],
    ["with a misspelt member", { a: { ...ok, tool: [] } }, "Did you mean `tools`?"],
    ["around one that there is not", { a: { ...ok, groups: ["b"] } }, 'there is no group "b"'],
    ["around itself", { a: { ...ok, groups: ["a"] } }, "it is inside of itself: a > a"],
    ["around one that it is inside of", { a: { ...ok, groups: ["b"] }, b: { ...ok, groups: ["a"] } }, "a > b > a"],
  ])("%s", (_, definitions, message) => {
    expect(() => groups(definitions as never)).toThrow(message);
  });

  test.each(["a", "a-b", "0", "a".repeat(64)])("but not with the name %j", (name) => {
    expect(() => groups({ [name]: ok })).not.toThrow();
  });

  test("if its options make no sense", () => {
    expect(() => groups([] as never)).toThrow("groups by name");
    expect(() => groups(GROUPS, { pagesize: 1 } as never)).toThrow("`pageSize`");
  });
});

describe("extensions that leave things out of lists", () => {
  test("work together, each for the clients that declare it, in all lists", async () => {
    const hiding: ServerExtension = {
      id: "com.example/quiet",
      hides: async (kind, item) => kind === "resourceTemplates" || item.name === "ping_db",
    };
    const server = define(GROUPS, {
      extensions: [groups(GROUPS), hiding],
      resources: { table: resource({ template: "db://tables/{name}", read: () => "" }) },
    });
    const both = { capabilities: { extensions: { [ID]: {}, "com.example/quiet": {} } } };
    const client = new ModernClient(server, both);
    expect((await client.request("tools/list")).tools).toEqual([]);
    expect((await client.request("resources/templates/list")).resourceTemplates).toEqual([]);
    const one = new ModernClient(server, { capabilities: { extensions: { "com.example/quiet": {} } } });
    expect(names((await one.request("tools/list")).tools)).toEqual(["list_tables", "cluster_health", "server_version"]);
    expect(names((await new ModernClient(server).request("resources/templates/list")).resourceTemplates)).toEqual([
      "table",
    ]);
  });

  test("also leave out members of families of resources, and those can be in groups", async () => {
    const server = define(
      { tables: { description: "Tables.", resources: (uri) => uri.startsWith("db://tables/") } },
      {
        resources: {
          table: resource({
            template: "db://tables/{name}",
            list: () => [{ uri: "db://tables/a" }, { uri: "db://tables/b" }],
            read: () => "",
          }),
          readme: resource({ uri: "db://readme", read: () => "" }),
        },
      },
    );
    const client = new ModernClient(server, DECLARED);
    expect((await client.request("resources/list")).resources.map(({ uri }: Json) => uri)).toEqual(["db://readme"]);
    const { contents } = await client.request("groups/get", { name: "tables" });
    expect(contents.resources.map(({ uri }: Json) => uri)).toEqual(["db://tables/a", "db://tables/b"]);
  });

  test("are asked about lists of any length", async () => {
    const tools = Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`t${index}`, tool({ run: () => "" })]));
    const definitions = { even: { description: "Even.", tools: (name: string) => /[02468]$/.test(name) } };
    const server = createServer({
      name: "x",
      version: "1",
      pageSize: 10,
      tools,
      extensions: [groups(definitions)],
    });
    const client = new ModernClient(server, DECLARED);
    const { contents } = await client.request("groups/get", { name: "even" });
    expect(contents.tools).toHaveLength(23);
  });
});

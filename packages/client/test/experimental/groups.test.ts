import { connect, type Client, type ClientOptions } from "@toolwire/client";
import { groups, type OpenGroup } from "@toolwire/client/experimental/groups";
import { createServer, method, prompt, resource, type Server, type ServerExtension, tool } from "@toolwire/server";
import { groups as groupsOf, type GroupDefinitions } from "@toolwire/server/experimental/groups";
import { serveHttp } from "@toolwire/server/http";
import { serveInMemory } from "@toolwire/server/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const ID = "io.modelcontextprotocol/groups";
const GROUPS: GroupDefinitions = {
  office: { description: "Everything for the office.", groups: ["calendar", "mail"] },
  calendar: {
    title: "Calendar",
    description: "Looks at the calendar.",
    instructions: "List before you create.",
    tools: ["list_events", "create_event"],
    prompts: ["plan"],
    resources: ["cal://today"],
  },
  mail: { description: "Sends mail.", tools: ["send_mail", "list_events"] },
  handbook: { description: "How we work.", instructions: "Be kind." },
};

function define(): Server {
  const located = z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) });
  return createServer({
    name: "office",
    version: "1",
    tools: {
      search: tool({ run: () => "found" }),
      list_events: tool({ output: z.object({ count: z.number() }), run: () => ({ count: 2 }) }),
      create_event: tool({ input: located, run: ({ region }) => region }),
      send_mail: tool({ run: () => "sent" }),
    },
    prompts: { plan: prompt({ get: () => "Plan." }), hello: prompt({ get: () => "Hello." }) },
    resources: { today: resource({ uri: "cal://today", read: () => "today" }) },
    extensions: [groupsOf(GROUPS, { pageSize: 1 })],
  });
}

async function open(server: Server, options: ClientOptions = {}): Promise<Client> {
  const client = await connect(serveInMemory(server), { extensions: [groups], ...options });
  onTestFinished(() => client.close());
  return client;
}

async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const names = (items: readonly { readonly name: string }[]): readonly string[] => items.map(({ name }) => name);

describe("a client with groups", () => {
  test("finds groups page by page, and gets one with everything in it", async () => {
    const client = await open(define());
    const api = client.use(groups);
    expect(api.isSupported).toBe(true);
    const first = await api.list();
    expect([names(first.groups), typeof first.nextCursor]).toEqual([["office"], "string"]);
    expect(names(await gather(api.all()))).toEqual(["office", "handbook"]);
    const calendar = await api.get("calendar");
    expect(calendar).toMatchObject({ name: "calendar", instructions: "List before you create.", groups: [] });
    expect(names(calendar.tools)).toEqual(["list_events", "create_event"]);
    expect(names(calendar.prompts)).toEqual(["plan"]);
    expect(calendar.resources[0]!.uri).toBe("cal://today");
    expect(await api.get("handbook")).toEqual({
      name: "handbook",
      instructions: "Be kind.",
      tools: [],
      prompts: [],
      resources: [],
      groups: [],
    });
  });

  test("lists what is in no group, and calls what is in one", async () => {
    const client = await open(define());
    expect(names(await gather(client.allTools()))).toEqual(["search"]);
    expect(names(await gather(client.allPrompts()))).toEqual(["hello"]);
    expect(await client.callTool("send_mail")).toMatchObject({ content: [{ text: "sent" }] });
  });

  test("calls tools of a group with the headers that they want, and checks their results", async () => {
    const { url, close } = await serveHttp(define(), { port: 0 });
    onTestFinished(() => close());
    const client = await connect(url, { extensions: [groups] });
    onTestFinished(() => client.close());
    await client.use(groups).get("calendar");
    expect(await client.callTool("create_event", { region: "eu" })).toMatchObject({ content: [{ text: "eu" }] });
    expect(await client.callTool("list_events")).toMatchObject({ structuredContent: { count: 2 } });
  });

  test("is told of a group that there is not by the code of the draft", async () => {
    const client = await open(define());
    await expect(client.use(groups).get("missing")).rejects.toMatchObject({ code: -32_002 });
  });

  test("sends nothing about groups to a server that does not declare them", async () => {
    const seen: string[] = [];
    const server = createServer({
      name: "plain",
      version: "1",
      middleware: [
        (call, next) => {
          seen.push(call.method);
          return next();
        },
      ],
    });
    const client = await open(server);
    const api = client.use(groups);
    expect(api.isSupported).toBe(false);
    await expect(api.list()).rejects.toMatchObject({ code: "UNSUPPORTED" });
    await expect(api.get("calendar")).rejects.toMatchObject({ code: "UNSUPPORTED" });
    await expect(gather(api.walk())).rejects.toMatchObject({ code: "UNSUPPORTED" });
    expect(seen).not.toContain("groups/list");
    expect(seen).not.toContain("groups/get");
  });

  test("sees everything in lists in the legacy era, which has no groups", async () => {
    const client = await open(define(), { era: "legacy" });
    expect(client.use(groups).isSupported).toBe(false);
    expect(await gather(client.allTools())).toHaveLength(4);
  });
});

describe("a walk through all groups", () => {
  test("gets each once, level by level", async () => {
    const client = await open(define());
    expect(names(await gather(client.use(groups).walk()))).toEqual(["office", "handbook", "calendar", "mail"]);
  });

  test("ends at the depth and the number that were given, or when nobody waits for it any more", async () => {
    const { walk } = (await open(define())).use(groups);
    expect(names(await gather(walk({ maxDepth: 1 })))).toEqual(["office", "handbook"]);
    expect(names(await gather(walk({ maxGroups: 3 })))).toEqual(["office", "handbook", "calendar"]);
    const abort = new AbortController();
    abort.abort(new Error("enough"));
    await expect(gather(walk({ signal: abort.signal }))).rejects.toThrow("enough");
    await expect(gather(walk({ depth: 1 } as never))).rejects.toThrow("`depth`");
  });

  test("stops where a server puts groups into each other, as the draft requires", async () => {
    const inside = (name: string): object => ({ groups: [{ name, description: "Round." }] });
    const client = await open(
      scripted({ groups: [{ name: "a", description: "Round." }] }, (name) => ({
        contents: inside(name === "a" ? "b" : "a"),
      })),
    );
    expect(names(await gather(client.use(groups).walk({ maxDepth: 100 })))).toEqual(["a", "b"]);
  });

  test("ends although a server has a new group in each", async () => {
    let count = 0;
    const next = (): object => ({ name: `g${(count += 1)}`, description: "More." });
    const client = await open(scripted({ groups: [next()] }, () => ({ contents: { groups: [next()] } })));
    expect(await gather(client.use(groups).walk())).toHaveLength(4);
  });
});

/** A server whose answers about groups are whatever a test says. */
function scripted(list: object, get: (name: string) => object): Server {
  const extension: ServerExtension = {
    id: ID,
    methods: {
      "groups/list": method({ handle: () => list }),
      "groups/get": method({ handle: ({ name }) => get(String(name)) }),
    },
  };
  return createServer({
    name: "scripted",
    version: "1",
    tools: { own: tool({ run: () => "" }) },
    extensions: [extension],
  });
}

describe("a server that breaks the rules", () => {
  const TOOL = { name: "t", inputSchema: { type: "object" } };

  async function read(result: object, messages: string[] = []): Promise<OpenGroup> {
    const onDiagnostic = ({ message }: { message: string }): void => void messages.push(message);
    const client = await open(
      scripted({ groups: [] }, () => result),
      { onDiagnostic },
    );
    return client.use(groups).get("any");
  }

  test.each<[string, object, string]>([
    ["with nothing", {}, "must have `instructions` or `contents`"],
    ["with instructions that are no text", { instructions: 1 }, "`instructions` must be a string"],
    ["with contents that are no object", { contents: [] }, "`contents` must be an object"],
    ["with tools that are no list", { contents: { tools: {} } }, "`contents.tools` must be an array"],
    ["with a tool without a name", { contents: { tools: [{}] } }, "`contents.tools[0].name` must be a string"],
    ["with a prompt that is a text", { contents: { prompts: ["x"] } }, "`contents.prompts[0].name` must be a string"],
    ["with a resource without a URI", { contents: { resources: [{ name: "x" }] } }, "`contents.resources[0].uri`"],
    ["with groups that are no list", { contents: { groups: {} } }, "`groups` must be an array"],
  ])("is reported for a group %s", async (_, result, message) => {
    await expect(read(result)).rejects.toMatchObject({ code: "INVALID_RESULT" });
    await expect(read(result)).rejects.toThrow(message);
  });

  test.each<[string, object]>([
    ["no list", {}],
    ["a cursor that is no text", { groups: [], nextCursor: 1 }],
  ])("is reported for %s of groups", async (_, list) => {
    const client = await open(scripted(list, () => ({})));
    await expect(client.use(groups).list()).rejects.toMatchObject({ code: "INVALID_RESULT" });
  });

  test("has groups left out that are none, and the operator is told", async () => {
    const good = { name: "good", description: "Fine." };
    const bad = [1, {}, { name: "Bad", description: "x" }, { name: "a--b", description: "x" }, { name: "c" }];
    const messages: string[] = [];
    const { groups: inside } = await read({ contents: { groups: [...bad, good, good] } }, messages);
    expect(inside).toEqual([good]);
    expect(messages.filter((message) => message.includes("is left out"))).toHaveLength(5);
  });

  test("has each tool once, and none that cannot be called", async () => {
    const tools = [TOOL, { ...TOOL, description: "Another one" }, { name: "bad", inputSchema: 1 }];
    const group = await read({ contents: { tools } });
    expect(group.tools).toEqual([TOOL]);
  });
});

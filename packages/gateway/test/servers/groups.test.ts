import { connect, type Client } from "@toolwire/client";
import { groups } from "@toolwire/client/experimental/groups";
import { createServer, prompt, resource, type Server, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ServerConfig } from "../../src/config/config.ts";
import { messagesOf } from "../config/problems-of.ts";
import { getTool, type LocalGateway, startLocal } from "../local-gateway.ts";
import { type SimulatedApi, simulateApi } from "../simulated-api.ts";

function upstream(name: string): Server {
  return createServer({
    name,
    version: "1",
    tools: {
      [`${name}_read`]: tool({ run: () => `${name} read` }),
      [`${name}_delete`]: tool({ run: () => "deleted" }),
    },
    prompts: { [`${name}_help`]: prompt({ get: () => "Help." }) },
    resources: { notes: resource({ uri: `${name}://notes`, read: () => "notes" }) },
  });
}

let api: SimulatedApi;
let local: LocalGateway;
const closers: (() => Promise<void>)[] = [];

async function serve(name: string): Promise<string> {
  const { url, close } = await serveHttp(upstream(name), { port: 0 });
  closers.push(close);
  return url;
}

beforeAll(async () => {
  api = await simulateApi(() => ({}));
  const tools = { search: getTool(`${api.url}/search`), audit_delete: getTool(`${api.url}/audit`) };
  local = await startLocal({
    work: {
      tools,
      upstreams: { code: { url: await serve("code") }, mail: { url: await serve("mail"), prefix: "m" } },
      groups: {
        code: { title: "Code", description: "Issues and changes.", instructions: "Read first.", upstreams: ["code"] },
        mail: { description: "Mail.", upstreams: ["mail"] },
        danger: { description: "Deletes things.", tools: ["*delete*"] },
        all: { description: "Everything that is dangerous or mail.", groups: ["danger", "mail"] },
      },
    },
    ruled: {
      tools,
      access: [{ tools: ["search"], allow: true }],
      groups: { danger: { description: "Deletes things.", tools: ["*delete*"], instructions: "Careful." } },
    },
  });
});

afterAll(async () => {
  await local[Symbol.asyncDispose]();
  await Promise.all(closers.map((close) => close()));
  await api[Symbol.asyncDispose]();
});

async function open(slug: string, knowsGroups = true): Promise<Client> {
  const client = await connect(`${local.gateway.url}/mcp/${slug}`, { extensions: knowsGroups ? [groups] : [] });
  onTestFinished(() => client.close());
  return client;
}

async function gather<T, R>(items: AsyncIterable<T>, read: (item: T) => R): Promise<R[]> {
  const all: R[] = [];
  for await (const item of items) all.push(read(item));
  return all;
}

const nameOf = ({ name }: { readonly name: string }): string => name;
const EVERY_TOOL = ["search", "audit_delete", "code_read", "code_delete", "m_mail_read", "m_mail_delete"];

describe("a server of the gateway with groups", () => {
  test("gives a client that knows groups everything of an upstream with its group, before anything was listed", async () => {
    const client = await open("work");
    const code = await client.use(groups).get("code");
    expect(code.instructions).toBe("Read first.");
    expect(code.tools.map(nameOf)).toEqual(["code_read", "code_delete"]);
    expect(code.prompts.map(nameOf)).toEqual(["code_help"]);
    expect(code.resources.map(({ uri }) => uri)).toEqual(["code://notes"]);
    const mail = await client.use(groups).get("mail");
    expect(mail.tools.map(nameOf)).toEqual(["m_mail_read", "m_mail_delete"]);
    expect(mail.prompts.map(nameOf)).toEqual(["m_mail_help"]);
    expect(mail.resources.map(({ uri }) => uri)).toEqual(["m+mail://notes"]);
  });

  test("has groups by rules on names, of whatever source, and groups inside of groups", async () => {
    const api2 = (await open("work")).use(groups);
    expect((await gather(api2.all(), nameOf)).toSorted()).toEqual(["all", "code"]);
    expect((await api2.get("all")).groups.map(nameOf)).toEqual(["danger", "mail"]);
    expect((await api2.get("danger")).tools.map(nameOf)).toEqual(["audit_delete", "code_delete", "m_mail_delete"]);
  });

  test("lists for such a client only what is in no group, and for all others everything", async () => {
    const client = await open("work");
    expect(await gather(client.allTools(), nameOf)).toEqual(["search"]);
    expect(await gather(client.allPrompts(), nameOf)).toEqual([]);
    expect(await gather(client.allResources(), nameOf)).toEqual([]);
    const other = await open("work", false);
    expect((await gather(other.allTools(), nameOf)).toSorted()).toEqual(EVERY_TOOL.toSorted());
    expect((await gather(other.allPrompts(), nameOf)).toSorted()).toEqual(["code_help", "m_mail_help"]);
    expect((await local.list("work")).toSorted()).toEqual(EVERY_TOOL.toSorted());
  });

  test("calls what is in groups for everybody", async () => {
    for (const knows of [true, false]) {
      const client = await open("work", knows);
      expect(await client.callTool("m_mail_read")).toMatchObject({ content: [{ text: "mail read" }] });
    }
  });

  test("keeps to its access rules: a group of nothing that the caller may see does not exist", async () => {
    const client = await open("ruled");
    expect(await gather(client.use(groups).all(), nameOf)).toEqual([]);
    await expect(client.use(groups).get("danger")).rejects.toMatchObject({ code: -32_002 });
  });

  test("takes over changed groups without a restart", async () => {
    const tools = { search: getTool(`${api.url}/search`) };
    const server: ServerConfig = { tools, groups: { a: { description: "A.", tools: ["search"] } } };
    const own = await startLocal({ s: server });
    onTestFinished(() => own[Symbol.asyncDispose]());
    const list = async (): Promise<readonly string[]> => {
      const client = await connect(`${own.gateway.url}/mcp/s`, { extensions: [groups] });
      onTestFinished(() => client.close());
      return gather(client.allTools(), nameOf);
    };
    expect(await list()).toEqual([]);
    const config = { ...own.gateway.config, servers: { s: { tools } } };
    await own.gateway.reload(config);
    expect(await list()).toEqual(["search"]);
  });
});

describe("a configuration with groups", () => {
  const check = (groupsOf: object, more: object = {}): string =>
    messagesOf({
      version: 1,
      servers: { a: { upstreams: { up: { url: "https://up.example.com/mcp" } }, groups: groupsOf, ...more } },
    }).join("\n");
  const ok = { description: "Fine.", tools: ["x"] };

  test.each<[string, object, string]>([
    ["without a description", { a: { tools: ["x"] } }, "description"],
    ["with nothing in it", { a: { description: "Fine." } }, "A group needs `instructions`,"],
    [
      "of an upstream that there is not",
      { a: { description: "Fine.", upstreams: ["dwn"] } },
      "no upstream of this name",
    ],
    ["around one that there is not", { a: { ...ok, groups: ["b"] } }, "There is no group of this name."],
    ["around itself", { a: { ...ok, groups: ["b"] }, b: { ...ok, groups: ["a"] } }, "This group is inside of itself."],
    ["with a name that is none", { "A b": ok }, "name"],
    ["with a misspelt member", { a: { ...ok, tool: [] } }, "tool"],
  ])("is refused with one %s", (_, groupsOf, message) => {
    expect(check(groupsOf)).toContain(message);
  });

  test("is refused in search mode, and fine otherwise", () => {
    expect(check({ a: ok }, { mode: "search" })).toContain("In search mode");
    expect(check({ a: ok })).not.toContain("groups");
    expect(check({ a: { ...ok, groups: ["b", "c"] }, b: { ...ok, groups: ["c"] }, c: ok })).not.toContain("groups");
  });
});

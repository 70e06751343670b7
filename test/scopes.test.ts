import { connect, type Client, type ConnectOptions } from "@toolwire/client";
import { bearer } from "@toolwire/client/auth";
import { AuthError, RpcError, UsageError } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createMemoryChannels, serveChannel, type ServeChannelOptions } from "@toolwire/server/channel";
import {
  accessControl,
  auditLog,
  createServer,
  InsufficientScope,
  prompt,
  resource,
  sanitizeOutput,
  type ServerAuditEntry,
  type ServerDiagnostic,
  type ServerMiddleware,
  timeLimit,
  tool,
} from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { serveInMemory } from "@toolwire/server/memory";

function define(middleware: readonly ServerMiddleware[] = []) {
  const ran: string[] = [];
  const diagnostics: ServerDiagnostic[] = [];
  const noting: ServerMiddleware = (_call, next) => {
    ran.push("tool middleware");
    return next();
  };
  const server = createServer({
    name: "scoped",
    version: "1.0.0",
    middleware,
    onDiagnostic: (event) => diagnostics.push(event),
    tools: {
      open: tool({ run: () => "open" }),
      write: tool({
        scopes: ["files:write"],
        input: z.object({ path: z.string(), force: z.boolean().optional() }),
        middleware: [noting],
        run({ path, force }, { requireScopes }) {
          ran.push(`write ${path}`);
          if (force === true) requireScopes("files:delete", "files:audit");
          return "written";
        },
      }),
      catches: tool({
        run(_, ctx) {
          try {
            ctx.requireScopes("files:delete");
          } catch (error) {
            return `${error instanceof InsufficientScope} ${error instanceof RpcError}`;
          }
          return "allowed";
        },
      }),
      misuses: tool({ run: (_, ctx) => ctx.requireScopes(...(["two scopes"] as string[])) }),
    },
    resources: {
      plain: resource({ uri: "docs://plain", read: () => "plain" }),
      secret: resource({ uri: "docs://secret", scopes: ["docs:read"], read: () => "secret" }),
      notes: resource({
        template: "notes://{name}",
        scopes: ["notes:read"],
        complete: { name: () => ["a", "b"] },
        read: ({ name }) => `note ${name}`,
      }),
      careful: resource({
        uri: "docs://careful",
        read(ctx) {
          ctx.requireScopes("docs:careful");
          return "careful";
        },
      }),
    },
    prompts: {
      review: prompt({
        scopes: ["prompts:use"],
        arguments: { code: { required: true, complete: () => ["x"] } },
        get: () => "review",
      }),
      careful: prompt({
        get(_args, ctx) {
          ctx.requireScopes("prompts:careful");
          return "careful";
        },
      }),
    },
  });
  return { server, ran, diagnostics };
}

type Rig = ReturnType<typeof define> & { readonly client: Client };

async function open(
  options: ServeChannelOptions = {},
  era: "modern" | "legacy" = "modern",
  rig = define(),
): Promise<Rig> {
  const client = await connect(serveInMemory(rig.server, options), { era });
  onTestFinished(() => client.close());
  return { ...rig, client: client as never };
}

const caller = (...scopes: string[]): ServeChannelOptions => ({ principal: { id: "ada", scopes } });

async function refusalOf(work: Promise<unknown>): Promise<AuthError> {
  const error: unknown = await work.then(
    () => new Error("It was allowed."),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AuthError);
  expect((error as AuthError).code).toBe("INSUFFICIENT_SCOPE");
  return error as AuthError;
}

describe.each(["modern", "legacy"] as const)("scopes of definitions in the %s era", (era) => {
  test.each<[string, (client: Client) => Promise<unknown>, string]>([
    ["a tool", (client) => client.callTool("write", { path: "a" }), "files:write"],
    ["a resource", (client) => client.readResource("docs://secret"), "docs:read"],
    ["a member of a template", (client) => client.readResource("notes://a"), "notes:read"],
    ["a member of a template, written differently", (client) => client.readResource("notes://%61"), "notes:read"],
    ["a prompt", (client) => client.getPrompt("review", { code: "x" }), "prompts:use"],
    [
      "completions of a prompt",
      (client) => client.complete({ type: "ref/prompt", name: "review" }, { name: "code", value: "" }),
      "prompts:use",
    ],
    [
      "completions of a template",
      (client) => client.complete({ type: "ref/resource", uri: "notes://{name}" }, { name: "name", value: "" }),
      "notes:read",
    ],
    ["a subscription to a resource", (client) => client.subscribe({ uris: ["docs://secret"] }, () => {}), "docs:read"],
    ["a resource that asks in its handler", (client) => client.readResource("docs://careful"), "docs:careful"],
    ["a prompt that asks in its handler", (client) => client.getPrompt("careful"), "prompts:careful"],
  ])("%s is for callers with the scope only", async (_, use, scope) => {
    const refused = await open(caller("other", `${scope}s`), era);
    const error = await refusalOf(use(refused.client));
    expect(error.scopes).toEqual([scope]);
    const allowed = await open(caller("other", scope), era);
    await use(allowed.client);
  });

  test("nothing of a refused call runs: no validation of arguments, no middleware of the tool", async () => {
    const { client, ran } = await open(caller(), era);
    await refusalOf(client.callTool("write", { wrong: 1 }));
    expect(ran).toEqual([]);
  });

  test("definitions are listed for everybody, without their scopes, so that callers know what to ask for", async () => {
    const { client } = await open(caller(), era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("write");
    expect(JSON.stringify([tools, await client.listResources(), await client.listPrompts()])).not.toContain("scopes");
  });

  test("all scopes of the operation are named at once: those of the definition, and those of the handler", async () => {
    const { client, ran } = await open(caller("files:write"), era);
    const error = await refusalOf(client.callTool("write", { path: "a", force: true }));
    expect(error.scopes).toEqual(["files:write", "files:delete", "files:audit"]);
    expect(ran).toEqual(["tool middleware", "write a"]);
  });

  test("what access control hides is unknown, and no scope is named", async () => {
    const { client } = await open(caller(), era, define([accessControl((subject) => subject.kind !== "tool")]));
    const error: unknown = await client.callTool("write", { path: "a" }).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(AuthError);
    expect(String(error)).toContain("Unknown tool");
  });

  test("the refusal passes through time limits, audit log, access control and cleaning as it is", async () => {
    const entries: ServerAuditEntry[] = [];
    const all = [
      auditLog((entry) => entries.push(entry)),
      timeLimit({ timeout: 60_000 }),
      accessControl(() => true),
      sanitizeOutput(),
    ];
    const { client } = await open(caller("files:write"), era, define(all));
    expect((await refusalOf(client.callTool("write", { path: "a", force: true }))).scopes).toContain("files:delete");
    expect(entries.at(-1)).toMatchObject({ target: "write", outcome: "error", errorCode: 403 });
  });
});

describe("callers that nobody has authenticated", () => {
  test("over memory, the caller is a part of this process and has every scope", async () => {
    const { client } = await open();
    expect(await client.callTool("write", { path: "a", force: true })).toMatchObject({
      content: [{ text: "written" }],
    });
  });

  test("over memory with a principal, the scopes of the principal count", async () => {
    const { client } = await open({ principal: { id: "ada" } });
    expect((await refusalOf(client.callTool("write", { path: "a" }))).scopes).toEqual(["files:write"]);
  });

  test("over a channel of one's own, there is nobody, and the error and one diagnostic name the option `auth`", async () => {
    const { server, diagnostics } = define();
    const [near, far] = createMemoryChannels();
    serveChannel(server, far);
    const client = await connect(near);
    onTestFinished(() => client.close());
    for (const path of ["a", "b"]) {
      const error = await refusalOf(client.callTool("write", { path }));
      expect(error.message).toMatch(/nobody is authenticated here.*`auth`/);
    }
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ level: "warning", message: expect.stringContaining("`auth`") as string });
  });

  test("a channel of one's own can say that its caller is local", async () => {
    const [near, far] = createMemoryChannels();
    serveChannel(define().server, far, { isLocal: true });
    const client = await connect(near);
    onTestFinished(() => client.close());
    await client.callTool("write", { path: "a" });
    expect(() => serveChannel(define().server, far, { isLocal: "yes" as never })).toThrow(UsageError);
  });
});

describe("clients over HTTP", () => {
  test.each<[string, ConnectOptions]>([
    ["headers of their own", { http: { headers: { authorization: "Bearer ada" } } }],
    ["a token", { auth: bearer("ada") }],
  ])("with %s are told of missing scopes by the same error", async (_, options) => {
    const authenticate = () => ({ id: "ada", scopes: ["other"] });
    const listener = await serveHttp(define().server, { port: 0, authenticate });
    onTestFinished(() => listener.close());
    const client = await connect(listener.url, options);
    onTestFinished(() => client.close());
    const error = await refusalOf(client.callTool("write", { path: "a" }));
    expect(error.scopes).toEqual(["files:write"]);
    expect(error.challenge).toContain('scope="files:write"');
  });
});

describe("ctx.requireScopes", () => {
  test("throws an error that handlers can tell apart", async () => {
    const { client } = await open(caller());
    expect(await client.callTool("catches")).toMatchObject({ content: [{ text: "true true" }] });
  });

  test("refuses what is no scope, as a mistake of the server", async () => {
    const { client, diagnostics } = await open(caller());
    expect(await client.callTool("misuses")).toMatchObject({ isError: true });
    expect(String(diagnostics[0]?.error)).toContain("scopes[0]");
  });
});

describe("subscriptions to resources with scopes", () => {
  test("one that is defined after the subscription is not announced to callers without its scopes", async () => {
    const heard: unknown[] = [];
    const { client, server } = await open(caller("docs:late"));
    const other = await open(caller(), "modern", { server, ran: [], diagnostics: [] });
    const listen = (name: string) => (change: object) => heard.push([name, change]);
    await client.subscribe({ uris: ["docs://late", "docs://plain"] }, listen("ada"));
    await other.client.subscribe({ uris: ["docs://late", "docs://plain"] }, listen("bob"));
    server.resources.add("late", resource({ uri: "docs://late", scopes: ["docs:late"], read: () => "late" }));
    server.resources.updated("docs://late");
    server.resources.updated("docs://plain");
    await expect.poll(() => heard.length).toBe(3);
    expect(JSON.stringify(heard.filter((each) => JSON.stringify(each).includes("late")))).not.toContain("bob");
  });
});

import { textOf, type Client, type LogMessageParams } from "@toolwire/client";
import { AuthError, createServer, resource, tool, ToolError, type Server } from "@toolwire/server";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { z } from "zod";
import { startLocal } from "../local-gateway.ts";
import { createUpstreamServer, revisionsOf } from "../../../relay/test/fixtures/upstream-server.ts";
import { commandOf, ERAS, host, overHttp, overWebSocket } from "./hosting.ts";

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools({ fresh: true })).tools.map(({ name }) => name);
}

/** Serves servers by token: each user has one of their own, with tools of their own. */
async function serverByToken(servers: { readonly [token: string]: Server }): Promise<{ url: string; seen: string[] }> {
  const { createNodeHandler } = await import("@toolwire/server/http");
  const { createServer: createHttpServer } = await import("node:http");
  const { onTestFinished } = await import("vitest");
  const seen: string[] = [];
  const handlers = Object.entries(servers).map(([token, server]) => [token, createNodeHandler(server)] as const);
  const listener = createHttpServer((request, response) => {
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    seen.push(token);
    const handler = new Map(handlers).get(token);
    if (handler === undefined) response.writeHead(401).end();
    else handler(request, response);
  });
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await Promise.all(handlers.map(([, handler]) => handler.close()));
    listener.closeAllConnections();
    listener.close();
  });
  return { url: `http://127.0.0.1:${(listener.address() as { port: number }).port}/mcp`, seen };
}

function serverOf(user: string, era: "modern" | "legacy", tools: readonly string[], same = "same"): Server {
  return createServer({
    name: `server of ${user}`,
    version: "1.0.0",
    revisions: revisionsOf(era),
    tools: {
      ...Object.fromEntries(tools.map((name) => [name, tool({ description: "x", run: () => `${name} of ${user}` })])),
      whoami: tool({ description: same, run: () => user }),
    },
    resources: { mine: resource({ uri: "docs://mine", title: `Of ${user}`, read: () => `secret of ${user}` }) },
  });
}

describe.each(ERAS)("principals-share-nothing: an upstream of the %s era with a connection for each user", (era) => {
  test("gets the credentials of each, and shows each their own", async () => {
    const ada = serverOf("ada", era, ["ada_only"]);
    const bob = serverOf("bob", era, ["bob_only"]);
    const { url, seen } = await serverByToken({ "token-of-ada": ada, "token-of-bob": bob });
    const headers = { authorization: "Bearer ${secret:token}" };
    const hosting = await host({ one: { url, headers, perUser: true } });
    const [forAda, forBob] = await Promise.all([hosting.connect({ as: "ada" }), hosting.connect({ as: "bob" })]);
    expect(await namesOf(forAda)).toEqual(["ada_only", "whoami"]);
    expect((await namesOf(forBob)).toSorted()).toEqual(["bob_only", "whoami"]);
    expect(textOf(await forAda.callTool("whoami"))).toBe("ada");
    expect(textOf(await forBob.callTool("whoami"))).toBe("bob");
    // Tools of others do not exist.
    await expect(forBob.callTool("ada_only")).rejects.toMatchObject({
      code: -32_602,
      message: "Unknown tool: ada_only",
    });
    expect(textOf(await forAda.readResource("docs://mine"))).toBe("secret of ada");
    expect(textOf(await forBob.readResource("docs://mine"))).toBe("secret of bob");
    const { resources } = await forBob.listResources();
    expect(resources.map(({ title }) => title)).toEqual(["Of bob"]);
    expect(new Set(seen)).toEqual(new Set(["token-of-ada", "token-of-bob"]));
    expect(hosting.upstreams[0]!.status().connections).toBe(2);
  });

  test("announces changes of a resource to the user whose it is", async () => {
    const ada = serverOf("ada", era, []);
    const bob = serverOf("bob", era, []);
    const { url } = await serverByToken({ "token-of-ada": ada, "token-of-bob": bob });
    const hosting = await host({ one: { url, headers: { authorization: "Bearer ${secret:token}" }, perUser: true } });
    const heard: string[] = [];
    for (const user of ["ada", "bob"]) {
      const client = await hosting.connect({ as: user });
      await client.subscribe({ uris: ["docs://mine"] }, () => heard.push(user));
    }
    ada.resources.updated("docs://mine");
    await eventually(() => expect(heard).toEqual(["ada"]));
    bob.resources.updated("docs://mine");
    await eventually(() => expect(heard).toEqual(["ada", "bob"]));
  });
});

test("principals-share-nothing: a tool that differs between users has a name for each of its forms", async () => {
  const ada = serverOf("ada", "modern", [], "for ada");
  const bob = serverOf("bob", "modern", [], "for bob");
  const { url } = await serverByToken({ "token-of-ada": ada, "token-of-bob": bob });
  const hosting = await host({ one: { url, headers: { authorization: "Bearer ${secret:token}" }, perUser: true } });
  const forAda = await hosting.connect({ as: "ada" });
  const forBob = await hosting.connect({ as: "bob" });
  const [first] = (await forAda.listTools()).tools;
  const [second] = (await forBob.listTools()).tools;
  expect(first).toMatchObject({ name: "whoami", description: "for ada" });
  expect(second).toMatchObject({
    description: "for bob",
    name: expect.stringMatching(/^whoami_[0-9a-f]{6}$/) as string,
  });
  expect(textOf(await forBob.callTool(second!.name))).toBe("bob");
  await expect(forBob.callTool("whoami")).rejects.toMatchObject({ code: -32_602 });
  // The name stays with its form, whatever becomes of the other.
  ada.tools.remove("whoami");
  await eventually(async () => expect(await namesOf(forAda)).toEqual([]));
  bob.tools.add("more", tool({ description: "more", run: () => "more" }));
  await eventually(async () => expect((await namesOf(forBob)).toSorted()).toEqual(["more", second!.name]));
});

test("principals-share-nothing: search mode finds and describes for each user what their own connection lists", async () => {
  const { url } = await serverByToken({
    "token-of-ada": serverOf("ada", "modern", ["plan_of_ada"]),
    "token-of-bob": serverOf("bob", "modern", ["plan_of_bob"]),
  });
  const one = { url, headers: { authorization: "Bearer ${secret:token}" }, perUser: true };
  await using local = await startLocal({ s: { mode: "search", auth: { apiKeys: true }, upstreams: { one } } });
  for (const user of ["ada", "bob"]) await local.gateway.storage.secrets.set("token", `token-of-${user}`, user);
  const [ada, bob] = [await local.key({ principal: "ada" }), await local.key({ principal: "bob" })];
  const find = async (key: Record<string, string>): Promise<string | undefined> =>
    (await local.call("s", "search_tools", { query: "plan whoami" }, key)).text;
  expect(await find(ada)).not.toContain("bob");
  const found = await find(bob);
  expect(found).toContain("plan_of_bob");
  // The same tool for both, which the list of the first has brought.
  expect(found).toContain("whoami");
  expect(found).not.toContain("ada");
  expect(await find(ada)).toContain("plan_of_ada");
  expect(await local.call("s", "describe_tool", { name: "plan_of_ada" }, bob)).toMatchObject({ isError: true });
  expect((await local.call("s", "call_tool", { name: "plan_of_ada" }, bob)).error?.code).toBe(-32_602);
  expect((await local.call("s", "call_tool", { name: "whoami" }, bob)).text).toBe("bob");
});

test("principals-share-nothing: a user without a credential reads why, and nobody else's is used", async () => {
  const { url, seen } = await serverByToken({ "token-of-ada": serverOf("ada", "modern", []) });
  const hosting = await host(
    { one: { url, headers: { authorization: "Bearer ${secret:token}" }, perUser: true } },
    {
      resolve(text, principal) {
        if (principal !== "ada") throw new ToolError("Connect your account first.");
        return text.replace("${secret:token}", `token-of-${principal}`);
      },
    },
  );
  const forAda = await hosting.connect({ as: "ada" });
  expect(textOf(await forAda.callTool("whoami"))).toBe("ada");
  const forEve = await hosting.connect({ as: "eve" });
  expect(await namesOf(forEve)).toEqual([]);
  await expect(forEve.callTool("whoami")).rejects.toMatchObject({ code: -32_602 });
  expect(new Set(seen)).toEqual(new Set(["token-of-ada"]));
});

test("principals-share-nothing: users who did nothing for longest are forgotten, and come back", async () => {
  const authenticate = (request: { header(name: string): string | undefined }): { id: string } => {
    const token = request.header("authorization");
    if (token === undefined) throw new AuthError("UNAUTHORIZED", "No.");
    return { id: token.replace("token-of-", "") };
  };
  const server = createServer({
    name: "users",
    version: "1.0.0",
    tools: { whoami: tool({ description: "Says who is calling", run: (_, ctx) => String(ctx.principal?.id) }) },
  });
  const url = await overHttp(server, { authenticate });
  const config = { url, headers: { authorization: "${secret:token}" }, perUser: true };
  const hosting = await host({ one: config }, { maxUsers: 2 });
  for (const user of ["ada", "bob", "cid", "ada"]) {
    const client = await hosting.connect({ as: user });
    expect(textOf(await client.callTool("whoami"))).toBe(user);
    await eventually(() => expect(hosting.upstreams[0]!.status().connections).toBeLessThanOrEqual(2));
  }
  expect(hosting.upstreams[0]!.status().tools).toBe(1);
});

describe("principals-share-nothing: questions of a legacy upstream that does not say whose they are", () => {
  const kinds = {
    stdio: async () => commandOf("fixtures/stdio-upstream.ts", "legacy"),
    http: async () => ({ url: await overHttp(createUpstreamServer("legacy")) }),
    websocket: async () => ({ url: await overWebSocket(createUpstreamServer("legacy")) }),
  };

  test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
    "reach the caller that they are for, over %s",
    async (kind) => {
      const { connect } = await host({ one: await kinds[kind]() });
      const asked: string[] = [];
      const users = ["ada", "bob", "cid"];
      const clients = await Promise.all(
        users.map((user, index) =>
          connect({
            as: user,
            era: index === 1 ? "legacy" : "modern",
            elicitation: ({ message }) => {
              asked.push(`${user}: ${message}`);
              return { action: "accept", content: { name: user } };
            },
          }),
        ),
      );
      const calls = clients.flatMap((client, index) =>
        [1, 2].map((door) => client.callTool("who", { room: `${users[index]}-${door}` })),
      );
      const answers = (await Promise.all(calls)).map((result) => textOf(result));
      expect(answers).toEqual(users.flatMap((user) => [1, 2].map((door) => `${user} is in ${user}-${door}.`)));
      for (const question of asked) {
        const [user] = question.split(":");
        expect(question).toContain(`in ${user}-`);
      }
    },
  );
});

test("principals-share-nothing: log messages that may be those of another are not passed on", async () => {
  let release = (): void => {};
  const server = createServer({
    name: "logging",
    version: "1.0.0",
    revisions: revisionsOf("legacy"),
    tools: {
      tell: tool({
        description: "Logs",
        input: z.object({ what: z.string() }),
        run({ what }, ctx) {
          ctx.log("info", what);
          return "Told.";
        },
      }),
      hold: tool({
        description: "Waits for another call to be over",
        run: (_, ctx) => {
          ctx.progress(1);
          return new Promise<string>((resolve) => {
            release = () => resolve("Released.");
          });
        },
      }),
    },
  });
  const { connect } = await host({ one: { url: await overWebSocket(server) } });
  const heard: string[] = [];
  const onLog = ({ data }: LogMessageParams): void => void heard.push(String(data));
  const ada = await connect({ as: "ada", era: "modern" });
  const bob = await connect({ as: "bob", era: "modern" });
  // As long as the connection has one user, all of its messages are theirs.
  await ada.callTool("tell", { what: "first of ada" }, { onLog });
  expect(heard).toEqual(["first of ada"]);
  let told: Promise<unknown> | undefined;
  const held = ada.callTool(
    "hold",
    {},
    {
      onLog,
      onProgress() {
        told = bob.callTool("tell", { what: "of bob" }).then(() => release());
      },
    },
  );
  await held;
  await told;
  expect(heard).toEqual(["first of ada"]);
});

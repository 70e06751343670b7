import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  accessControl,
  createServer,
  prompt,
  resource,
  timeLimit,
  tool,
  type ServerMiddleware,
  type Server,
} from "../../src/index.ts";
import { defer, ModernClient, type Deferred } from "../wire-client.ts";

/** A server that writes down what its handlers do, behind middleware. */
function make(...middleware: ServerMiddleware[]): { server: Server; ran: string[] } {
  const ran: string[] = [];
  const server = createServer({
    name: "m",
    version: "1",
    onDiagnostic: () => {},
    middleware,
    tools: { pay: tool({ run: () => void ran.push("pay") }) },
    prompts: { p: prompt({ get: () => `${ran.push("prompt")}` }) },
    resources: { r: resource({ uri: "a://r", read: () => `${ran.push("resource")}` }) },
  });
  return { server, ran };
}

/** A rule that takes its time. */
function slowRule(): { allows: () => Promise<boolean>; asked: Deferred<void>; decide: Deferred<boolean> } {
  const asked = defer();
  const decide = defer<boolean>();
  return {
    asked,
    decide,
    allows() {
      asked.resolve();
      return decide.promise;
    },
  };
}

describe("a request that nobody wants any more before its handler has begun", () => {
  test.each([
    ["tools/call", { name: "pay" }],
    ["prompts/get", { name: "p" }],
    ["resources/read", { uri: "a://r" }],
  ])("is not handled: %s, cancelled while middleware decides", async (method, params) => {
    const { allows, asked, decide } = slowRule();
    const { server, ran } = make(accessControl(allows));
    const client = new ModernClient(server);
    const { id } = client.start(method, params);
    await asked.promise;
    client.notify("notifications/cancelled", { requestId: id });
    // Heard in order, so that the cancellation has arrived when this is answered.
    await client.request("server/discover");
    decide.resolve(true);
    await client.request("server/discover");
    expect(ran).toStrictEqual([]);
  });

  test("is not handled: a call whose time has run out", async () => {
    const { allows, decide } = slowRule();
    const { server, ran } = make(timeLimit({ timeout: 1 }), accessControl(allows));
    const client = new ModernClient(server);
    const { content } = await client.callTool("pay");
    expect(content[0].text).toContain("was stopped");
    decide.resolve(true);
    await client.request("server/discover");
    expect(ran).toStrictEqual([]);
  });

  test("is not handled: a call that is cancelled while its arguments are checked", async () => {
    const checking = defer();
    const checked = defer<boolean>();
    let hasRun = false;
    const input = z.object({ n: z.number() }).refine(() => {
      checking.resolve();
      return checked.promise;
    });
    const tools = { pay: tool({ input, run: () => void (hasRun = true) }) };
    const client = new ModernClient(createServer({ name: "m", version: "1", onDiagnostic: () => {}, tools }));
    const { id } = client.start("tools/call", { name: "pay", arguments: { n: 1 } });
    await checking.promise;
    client.notify("notifications/cancelled", { requestId: id });
    await client.request("server/discover");
    checked.resolve(true);
    await client.request("server/discover");
    expect(hasRun).toBe(false);
  });

  test("leaves nothing behind: subscriptions that are cancelled before they begin", async () => {
    const decisions: Deferred<boolean>[] = [];
    const allows = (): Promise<boolean> => {
      const decision = defer<boolean>();
      decisions.push(decision);
      return decision.promise;
    };
    const { server } = make(accessControl(allows));
    const client = new ModernClient(server);
    const notifications = { resourceSubscriptions: ["a://r"] };
    // As many as one connection may have.
    const started = Array.from({ length: 100 }, () => client.start("subscriptions/listen", { notifications }));
    for (const { id } of started) client.notify("notifications/cancelled", { requestId: id });
    await client.request("server/discover");
    for (const decision of decisions.splice(0)) decision.resolve(true);
    await client.request("server/discover");
    client.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await client.notification("notifications/subscriptions/acknowledged");
    expect(client.notifications("notifications/subscriptions/acknowledged")).toHaveLength(1);
  });
});

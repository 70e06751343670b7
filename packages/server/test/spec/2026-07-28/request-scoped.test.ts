/** basic/patterns/progress, basic/patterns/cancellation and server/utilities/logging of 2026-07-28. */
import { LOGGING_LEVELS, MetaKey } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createServer, tool, type Context, type ServerDiagnostic } from "../../../src/index.ts";
import { defer, ModernClient, type Deferred, type Json } from "../../wire-client.ts";

const PROGRESS = "notifications/progress";
const MESSAGE = "notifications/message";

describe("progress", () => {
  let kept: Context | undefined;
  const server = createServer({
    name: "progress",
    version: "1",
    tools: {
      steps: tool({
        input: z.object({ steps: z.array(z.number()) }),
        run({ steps }, ctx) {
          kept = ctx;
          for (const step of steps) ctx.progress(step, 100, `at ${step}`);
          return "done";
        },
      }),
      bare: tool({ run: (_args, { progress }) => progress(0.5) }),
    },
  });

  test("is sent with the token of the request, before the response", async () => {
    const client = new ModernClient(server);
    await client.callTool("steps", { steps: [0, 50, 100] }, { _meta: { progressToken: "abc" } });
    expect(client.received.slice(0, 3).map((message: Json) => message.params)).toStrictEqual(
      [0, 50, 100].map((progress) => ({ progressToken: "abc", progress, total: 100, message: `at ${progress}` })),
    );
    expect(client.received).toHaveLength(4);
  });

  test("may leave out total and message, and be a fraction; the token may be a number", async () => {
    const client = new ModernClient(server);
    await client.callTool("bare", {}, { _meta: { progressToken: 0 } });
    expect(client.notifications(PROGRESS)[0].params).toStrictEqual({ progressToken: 0, progress: 0.5 });
  });

  test("MUST only reference tokens that were provided: without one, none is sent", async () => {
    const client = new ModernClient(server);
    await client.callTool("steps", { steps: [1, 2] });
    expect(client.notifications(PROGRESS)).toHaveLength(0);
  });

  test("MUST increase: what does not go forward is not sent", async () => {
    const client = new ModernClient(server);
    await client.callTool("steps", { steps: [1, 1, 0.5, -3, 2, 2] }, { _meta: { progressToken: 1 } });
    expect(client.notifications(PROGRESS).map(({ params }) => params.progress)).toStrictEqual([1, 2]);
  });

  test("MUST stop after completion", async () => {
    const client = new ModernClient(server);
    await client.callTool("steps", { steps: [1] }, { _meta: { progressToken: 1 } });
    kept?.progress(2);
    await client.request("tools/list");
    expect(client.notifications(PROGRESS)).toHaveLength(1);
  });
});

describe("logging", () => {
  const server = createServer({
    name: "logging",
    version: "1",
    tools: {
      talk: tool({
        run(_args, ctx) {
          for (const level of LOGGING_LEVELS) ctx.log(level, { about: level }, "talker");
          ctx.log("emergency", "no logger");
        },
      }),
      shout: tool({
        async run(_args, ctx) {
          for (const level of ["debug", "error"]) await ctx.notify({ method: MESSAGE, params: { level, data: level } });
          await ctx.notify({ method: MESSAGE });
        },
      }),
    },
  });

  test("servers that emit log messages MUST declare it", async () => {
    expect((await new ModernClient(server).request("server/discover")).capabilities.logging).toStrictEqual({});
  });

  test("nothing MUST be sent for a request without a logLevel", async () => {
    const client = new ModernClient(server);
    await client.callTool("talk");
    expect(client.notifications(MESSAGE)).toHaveLength(0);
  });

  test.each(LOGGING_LEVELS.map((level, index) => [level, LOGGING_LEVELS.slice(index)] as const))(
    "messages from %s on are all sent",
    async (logLevel, expected) => {
      const client = new ModernClient(server, { logLevel });
      await client.callTool("talk");
      expect(client.notifications(MESSAGE).map(({ params }) => params.level)).toStrictEqual([...expected, "emergency"]);
      expect(client.notifications(MESSAGE)[0].params).toStrictEqual({
        level: logLevel,
        logger: "talker",
        data: { about: logLevel },
      });
      // On the stream of the request, before its response.
      expect(client.received.at(-1)).toHaveProperty("result");
    },
  );

  test("nothing is sent for a request without a logLevel, not even notifications of its handler", async () => {
    const client = new ModernClient(server);
    await client.callTool("shout");
    expect(client.notifications(MESSAGE)).toHaveLength(0);
    await client.callTool("shout", {}, { _meta: { [MetaKey.LogLevel]: "warning" } });
    expect(client.notifications(MESSAGE).map(({ params }) => params.level)).toStrictEqual(["error"]);
  });

  test("an unknown level SHOULD be refused with -32602", async () => {
    const client = new ModernClient(server);
    await expect(client.callTool("talk", {}, { _meta: { [MetaKey.LogLevel]: "loud" } })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test("MUST NOT be delivered on a subscription stream", async () => {
    const client = new ModernClient(server, { logLevel: "debug" });
    client.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await client.callTool("talk");
    expect(client.notifications(MESSAGE)).toHaveLength(LOGGING_LEVELS.length + 1);
    for (const { params } of client.notifications(MESSAGE)) expect(params).not.toHaveProperty("_meta");
  });

  test("can be switched off", async () => {
    const quiet = createServer({
      name: "q",
      version: "1",
      logging: false,
      tools: { talk: tool({ run: (_args, ctx) => ctx.log("alert", "x") }) },
    });
    const client = new ModernClient(quiet, { logLevel: "debug" });
    expect((await client.request("server/discover")).capabilities).not.toHaveProperty("logging");
    await client.callTool("talk");
    expect(client.notifications(MESSAGE)).toHaveLength(0);
  });
});

describe("cancellation", () => {
  const aborted: Deferred<unknown> = defer();
  let release: Deferred<void> = defer();
  const diagnostics: ServerDiagnostic[] = [];
  const server = createServer({
    name: "cancel",
    version: "1",
    onDiagnostic: (event) => diagnostics.push(event),
    tools: {
      wait: tool({
        async run(_args, ctx) {
          await new Promise((_resolve, reject) => {
            ctx.signal.addEventListener("abort", () => {
              aborted.resolve(ctx.signal.reason);
              reject(ctx.signal.reason as Error);
            });
          });
        },
      }),
      deaf: tool({
        async run(_args, ctx) {
          await release.promise;
          ctx.progress(1);
          ctx.log("error", "still here");
          return `aborted: ${ctx.signal.aborted}`;
        },
      }),
    },
  });

  test("servers SHOULD stop processing, with the reason at hand, and not respond", async () => {
    const client = new ModernClient(server);
    const { id } = client.start("tools/call", { name: "wait" });
    client.notify("notifications/cancelled", { requestId: id, reason: "Changed my mind" });
    expect(await aborted.promise).toMatchObject({ name: "AbortError", message: "Changed my mind" });
    await client.request("tools/list");
    expect(client.received).toHaveLength(1);
    expect(diagnostics.filter(({ level }) => level === "error")).toHaveLength(0);
  });

  test("a handler that takes no notice sends nothing either", async () => {
    release = defer();
    const client = new ModernClient(server, { logLevel: "debug" });
    const { id } = client.start("tools/call", { name: "deaf", _meta: { progressToken: 1 } });
    client.notify("notifications/cancelled", { requestId: id });
    await client.request("tools/list");
    release.resolve();
    await client.request("tools/list");
    expect(client.received.every((message) => "result" in message && message.id !== id)).toBe(true);
    expect(client.received).toHaveLength(2);
  });

  test("servers MUST NOT send notifications/cancelled for anything but subscriptions", async () => {
    release = defer();
    const client = new ModernClient(server, { closeTimeout: 0 });
    const { id } = client.start("tools/call", { name: "deaf" });
    client.start("tools/call", { name: "deaf" });
    client.notify("notifications/cancelled", { requestId: id });
    await client.request("tools/list");
    await client.served.close();
    release.resolve();
    expect(client.notifications("notifications/cancelled")).toHaveLength(0);
  });

  test("reasons SHOULD be logged: the operator hears of them, quoted and cut", async () => {
    release = defer();
    const client = new ModernClient(server);
    const { id } = client.start("tools/call", { name: "deaf" });
    client.notify("notifications/cancelled", { requestId: id, reason: `no\n${"x".repeat(1000)}` });
    await client.request("tools/list");
    release.resolve();
    const [event] = diagnostics.filter(({ message }) => message.includes("xxx"));
    expect(event?.level).toBe("debug");
    expect(event?.message).toMatch(/^tools\/call was cancelled: "no\\nx{197}"\.$/);
  });

  test("a cancellation that crosses the response MUST be handled gracefully", async () => {
    const client = new ModernClient(server);
    const { id, response } = client.start("tools/list");
    client.notify("notifications/cancelled", { requestId: id });
    expect(await response).toHaveProperty("tools");
    expect(await client.start("tools/list", {}, id).response).toHaveProperty("tools");
  });

  test("unknown ids, finished requests and malformed notifications SHOULD be ignored", async () => {
    const client = new ModernClient(server);
    await client.start("tools/list", {}, 1).response;
    client.notify("notifications/cancelled", { requestId: 1 });
    client.notify("notifications/cancelled", { requestId: "nope" });
    client.notify("notifications/cancelled", {});
    client.notify("notifications/cancelled");
    client.notify("notifications/no_such_thing", { a: 1 });
    await client.request("tools/list");
    expect(client.received).toHaveLength(2);
  });

  test("the id of a cancelled request can be used again while its handler is still running", async () => {
    release = defer();
    const client = new ModernClient(server);
    client.start("tools/call", { name: "deaf" }, 5);
    client.notify("notifications/cancelled", { requestId: 5 });
    const again = client.start("tools/list", {}, 5);
    expect(await again.response).toHaveProperty("tools");
    release.resolve();
    await client.request("tools/list");
    expect(client.received.filter((message) => "id" in message && message.id === 5)).toHaveLength(1);
  });
});

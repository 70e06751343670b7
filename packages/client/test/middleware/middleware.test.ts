import {
  approval,
  auditCalls,
  connect,
  retry,
  limitCallTime,
  type ApprovalRequest,
  type ClientAuditEntry,
  type ClientOptions,
  type ClientMiddleware,
} from "@toolwire/client";
import { AuthError, RpcError, TransportError, UsageError } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { exchangeServer } from "../exchange-server.ts";
import { isCall, modernServer, SILENCE, type Script } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";
import { HttpStatusError, toRefusal } from "../../src/transports/http/errors.ts";

const LISTED = {
  tools: [
    { name: "remove", inputSchema: { type: "object" }, annotations: { readOnlyHint: true, destructiveHint: false } },
  ],
};

async function connected(middleware: readonly ClientMiddleware[], script: Script = {}, options: ClientOptions = {}) {
  const server = modernServer({ "tools/list": LISTED, "tools/call": { content: [] }, ...script });
  return { server, client: await connect(server.channel, { middleware, ...options }) };
}

describe("middleware", () => {
  test("goes around every call, the first outermost, and sees the final result", async () => {
    const seen: string[] = [];
    const layer =
      (name: string): ClientMiddleware =>
      async (call, next) => {
        seen.push(`${name} ${call.method}`);
        const result = await next();
        seen.push(`${name} ${Object.keys(result).join()}`);
        return result;
      };
    const { client } = await connected([layer("a"), layer("b")], { "prompts/list": { prompts: [] } });
    await client.callTool("t");
    await client.listPrompts();
    expect(seen).toEqual([
      "a tools/call",
      "b tools/call",
      "b content",
      "a content",
      "a prompts/list",
      "b prompts/list",
      "b prompts",
      "a prompts",
    ]);
    await client.close();
  });

  test.each([
    ["nothing", undefined, "nothing"],
    ["null", null, "nothing"],
    ["a text", "done", "a string"],
    ["a number", 5, "a number"],
  ])("is named in an error if it returns %s, which its caller does not get", async (_, returned, described) => {
    const forgetful = async function logCalls(_call: unknown, next: () => Promise<object>): Promise<unknown> {
      await next();
      return returned;
    };
    const { client } = await connected([
      (_call, next) => next(),
      forgetful as ClientMiddleware,
      async (_call, next) => next(),
    ]);
    const failure = await client.callTool("t").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure).toMatchObject({
      code: "INVALID_ARGUMENT",
      message:
        `The middleware \`logCalls\` (number 2 of 3) returned ${described} for tools/call. ` +
        "Middleware returns the result: `return next()`, or another object.",
    });
    await client.close();
  });

  test("is known by its place if it has no name and returns nothing", async () => {
    const { client } = await connected([(async () => {}) as unknown as ClientMiddleware]);
    await expect(client.callTool("t")).rejects.toThrow("The middleware number 1 of 1 returned nothing for tools/call.");
    await client.close();
  });

  test("can change what is sent, answer by itself, and refuse", async () => {
    const { server, client } = await connected([
      (call, next) => {
        const { name } = call.params as { name: string };
        if (name === "mocked") return { content: [{ type: "text", text: "from nowhere" }] };
        if (name === "refused") throw new RangeError("not here");
        return next({ ...call.params, arguments: { changed: true } });
      },
    ]);
    await expect(client.callTool("mocked")).resolves.toMatchObject({ content: [{ text: "from nowhere" }] });
    await expect(client.callTool("refused")).rejects.toThrow(RangeError);
    await client.callTool("sent");
    expect(server.requests("tools/call").map(({ params }) => params)).toMatchObject([
      { name: "sent", arguments: { changed: true } },
    ]);
    await client.close();
  });

  test("is told which server and tool are called, without trusting them", async () => {
    const seen: unknown[] = [];
    const { client } = await connected([
      async (call, next) => {
        seen.push([call.server.info?.name, call.server.revision, call.tool?.name]);
        return next();
      },
    ]);
    await client.callTool("remove");
    await client.listTools();
    await client.callTool("remove");
    expect(seen).toEqual([
      ["modern", "2026-07-28", undefined],
      ["modern", "2026-07-28", undefined],
      ["modern", "2026-07-28", "remove"],
    ]);
    await client.close();
  });

  test("goes around a call as a whole, with all rounds of questions", async () => {
    let calls = 0;
    const { server, client } = await connected(
      [
        (_, next) => {
          calls++;
          return next();
        },
      ],
      {
        "tools/call": (params) =>
          "requestState" in params ? { content: [] } : { resultType: "input_required", requestState: "x" },
      },
    );
    await client.callTool("t");
    expect([calls, server.requests("tools/call").length]).toEqual([1, 2]);
    await client.close();
  });
});

describe("approval", () => {
  test("is not asked for what cannot be sent, and might be changed until it can", async () => {
    let asked = 0;
    const { server, client } = await connected([approval(() => ++asked > 0)]);
    const args: { [name: string]: unknown } = { amount: 1n };
    const call = client.callTool("remove", args);
    args["amount"] = 1000;
    await expect(call).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(asked).toBe(0);
    expect(server.received.filter(isCall("tools/call"))).toEqual([]);
  });

  test("looks for a tool that was not listed yet within the time of its call", async () => {
    let asked = 0;
    const { client } = await connected([approval(() => ++asked > 0)], { "tools/list": SILENCE });
    await expect(client.callTool("remove", {}, { timeout: 20 })).rejects.toMatchObject({ code: "TIMEOUT" });
    expect(asked).toBe(0);
    await client.close();
  });

  test("has the time of its call to look for the tool, also where that is more than other calls may take", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const pages = [withResolvers<object>(), withResolvers<object>()] as const;
    const { server, client } = await connected(
      [approval(() => true)],
      { "tools/list": ({ cursor }) => pages[cursor === undefined ? 0 : 1].promise },
      { maxTimeout: 1000 },
    );
    const outcome = expect(client.callTool("remove", {}, { timeout: 5000 })).resolves.toEqual({ content: [] });
    await server.arrival(isCall("tools/list"));
    await vi.advanceTimersByTimeAsync(600);
    pages[0].resolve({ tools: [], nextCursor: "2" });
    await eventually(() => expect(server.requests("tools/list")).toHaveLength(2));
    await vi.advanceTimersByTimeAsync(600);
    pages[1].resolve(LISTED);
    await outcome;
    await client.close();
  });

  test("leaves a call the rest of its time, of which looking for the tool has taken some, and the user none", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const [listed, decided] = [withResolvers<object>(), withResolvers<boolean>()];
    const asked = withResolvers<void>();
    const { server, client } = await connected([approval(() => (asked.resolve(), decided.promise))], {
      "tools/list": () => listed.promise,
      "tools/call": () => SILENCE,
    });
    const failed = vi.fn();
    client.callTool("remove", {}, { timeout: 1000 }).catch(failed);
    await server.arrival(isCall("tools/list"));
    vi.advanceTimersByTime(600);
    listed.resolve({ tools: [] });
    await asked.promise;
    vi.advanceTimersByTime(5000);
    decided.resolve(true);
    await server.arrival(isCall("tools/call"));
    await vi.advanceTimersByTimeAsync(350);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(50);
    expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "TIMEOUT" }));
    await client.close();
  });

  test("is asked before anything is sent, with the tool and its untrusted word", async () => {
    const requests: ApprovalRequest[] = [];
    const { server, client } = await connected([
      approval((request) => {
        requests.push(request);
        expect(server.requests("tools/call")).toHaveLength(0);
        return true;
      }),
    ]);
    await client.callTool("remove", { path: "/" });
    expect(requests).toMatchObject([
      {
        name: "remove",
        arguments: { path: "/" },
        tool: { name: "remove" },
        annotations: { readOnlyHint: true },
        server: { info: { name: "modern" } },
      },
    ]);
    expect(server.requests("tools/call")).toHaveLength(1);
    await client.close();
  });

  test("is about the very arguments that are sent, whatever their owner does to them meanwhile", async () => {
    const asked: unknown[] = [];
    const given = { path: "/tmp", at: new Date(0) };
    const { server, client } = await connected([
      approval(({ arguments: args }) => {
        asked.push(structuredClone(args));
        given.path = "/";
        return true;
      }),
    ]);
    await client.callTool("remove", given);
    const sent = { path: "/tmp", at: "1970-01-01T00:00:00.000Z" };
    expect(asked).toEqual([sent]);
    expect(server.requests("tools/call")).toMatchObject([{ params: { name: "remove", arguments: sent } }]);
    await client.close();
  });

  test("is about the tool that is called, whichever it was called by", async () => {
    const requests: ApprovalRequest[] = [];
    const { client } = await connected([
      (call, next) => next({ ...call.params, name: "remove" }),
      approval((request) => {
        requests.push(request);
        return true;
      }),
    ]);
    await client.callTool("files/remove");
    expect(requests).toMatchObject([
      { name: "remove", tool: { name: "remove" }, annotations: { destructiveHint: false } },
    ]);
    await client.close();
  });

  test("is not asked for a call that was given up", async () => {
    let asked = 0;
    const { client } = await connected([approval(() => ++asked > 0)]);
    const signal = AbortSignal.abort(new RangeError("given up"));
    await expect(client.callTool("remove", {}, { signal })).rejects.toThrow("given up");
    // The next one is asked about after that, if at all.
    await client.callTool("remove");
    expect(asked).toBe(1);
    await client.close();
  });

  test.each([
    [false, "was not approved. Nothing"],
    [{ approved: false, reason: "too risky" }, "was not approved: too risky"],
  ])("%j denies, and nothing is sent", async (decision, words) => {
    const { server, client } = await connected([approval(() => decision)]);
    await expect(client.callTool("remove")).rejects.toMatchObject({
      code: "DENIED",
      message: expect.stringContaining(words) as string,
    });
    expect(server.requests("tools/call")).toHaveLength(0);
    await client.close();
  });

  test("is not asked for what is no tool call, and knows nothing of a tool that does not exist", async () => {
    const requests: ApprovalRequest[] = [];
    const { client } = await connected([
      approval((request) => {
        requests.push(request);
        return true;
      }),
    ]);
    await client.listTools();
    await client.callTool("imaginary");
    expect(requests).toMatchObject([{ name: "imaginary", tool: undefined, annotations: {} }]);
    await client.close();
  });
});

describe("audit log", () => {
  test("writes down every call and how it ended", async () => {
    const entries: ClientAuditEntry[] = [];
    const stop = new AbortController();
    const { client } = await connected(
      [auditCalls((entry) => entries.push(entry)), approval(({ name }) => name !== "denied")],
      {
        "tools/call": (params) => {
          const { name } = params as unknown as { name: string };
          if (name === "broken") throw new RpcError(-32603, "Internal error");
          if (name === "cancelled") stop.abort(new Error("stop"));
          return { content: [], ...(name === "failing" && { isError: true }) };
        },
        "resources/read": { contents: [] },
      },
    );
    await client.callTool("fine", { secret: 1 });
    await client.callTool("failing");
    await client.callTool("broken").catch(() => {});
    await client.callTool("denied").catch(() => {});
    await client.callTool("cancelled", {}, { signal: stop.signal }).catch(() => {});
    await client.readResource("a://1");
    expect(entries.map(({ method, target, outcome, errorCode }) => [method, target, outcome, errorCode])).toEqual([
      ["tools/call", "fine", "ok", undefined],
      ["tools/call", "failing", "tool-error", undefined],
      ["tools/call", "broken", "error", -32603],
      ["tools/call", "denied", "denied", "DENIED"],
      ["tools/call", "cancelled", "cancelled", undefined],
      ["resources/read", "a://1", "ok", undefined],
    ]);
    expect(JSON.stringify(entries)).not.toContain("secret");
    expect(entries[0]).toMatchObject({ time: expect.any(Date) as Date, server: { revision: "2026-07-28" } });
    await client.close();
  });

  test("can be limited to methods, and include arguments", async () => {
    const entries: ClientAuditEntry[] = [];
    const { client } = await connected([
      auditCalls((entry) => entries.push(entry), { methods: ["tools/call"], includeArguments: true }),
    ]);
    await client.listTools();
    await client.callTool("t", { a: 1 });
    expect(entries).toMatchObject([{ method: "tools/call", arguments: { a: 1 } }]);
    await client.close();
  });

  test("has what was sent, whatever middleware within has made of it", async () => {
    const entries: ClientAuditEntry[] = [];
    const { server, client } = await connected([
      auditCalls((entry) => entries.push(entry), { includeArguments: true }),
      (call, next) => next({ ...call.params, arguments: { city: "Oslo" } }),
      (call, next) => next({ ...call.params, name: "weather" }),
      approval(({ name }) => name !== "denied"),
    ]);
    const given = { city: "Bergen" };
    await client.callTool("t", given);
    given.city = "Trondheim";
    const sent = { city: "Oslo" };
    expect(server.requests("tools/call")).toMatchObject([{ params: { name: "weather", arguments: sent } }]);
    expect(entries).toMatchObject([{ target: "weather", arguments: sent, outcome: "ok" }]);
    await client.close();
  });

  test("has what was sent, whatever the owner of the arguments does to them meanwhile", async () => {
    const entries: ClientAuditEntry[] = [];
    const given = { city: "Bergen" };
    const { client } = await connected([auditCalls((entry) => entries.push(entry), { includeArguments: true })], {
      "tools/call": () => {
        given.city = "Trondheim";
        return { content: [] };
      },
    });
    await client.callTool("t", given);
    expect(entries).toMatchObject([{ arguments: { city: "Bergen" }, outcome: "ok" }]);
    await client.close();
  });

  test("has what would have been sent of a call that was denied, as it was when it was denied", async () => {
    const entries: ClientAuditEntry[] = [];
    const { client } = await connected([
      auditCalls((entry) => entries.push(entry), { includeArguments: true }),
      approval(() => false),
    ]);
    const given = { city: "Bergen" };
    await client.callTool("t", given).catch(() => {});
    given.city = "Trondheim";
    expect(entries).toMatchObject([{ target: "t", arguments: { city: "Bergen" }, outcome: "denied" }]);
    await client.close();
  });

  test("tells calls that took too long from those that were cancelled", async () => {
    const entries: ClientAuditEntry[] = [];
    const script = { "tools/call": () => SILENCE };
    const { client } = await connected(
      [
        auditCalls((entry) => entries.push(entry)),
        limitCallTime({ tools: { limited: 5, waiting: 5 } }),
        (call, next) => ((call.params as { name: string }).name === "waiting" ? new Promise(() => {}) : next()),
      ],
      script,
    );
    await client.callTool("limited").catch(() => {});
    await client.callTool("waiting").catch(() => {});
    await client.callTool("slow", {}, { timeout: 5 }).catch(() => {});
    await client.callTool("unwanted", {}, { signal: AbortSignal.abort(new Error("stop")) }).catch(() => {});
    expect(entries.map(({ target, outcome, errorCode }) => [target, outcome, errorCode])).toEqual([
      ["limited", "timed-out", "TIMEOUT"],
      ["waiting", "timed-out", "TIMEOUT"],
      ["slow", "timed-out", "TIMEOUT"],
      ["unwanted", "cancelled", undefined],
    ]);
    await client.close();
  });

  test("fails no call if it cannot be written", async () => {
    const { client } = await connected([
      auditCalls(() => {
        throw new Error("disk full");
      }),
      auditCalls(() => Promise.reject(new Error("disk full"))),
    ]);
    await expect(client.callTool("t")).resolves.toBeDefined();
    await client.close();
  });
});

describe("retry", () => {
  async function failing(error: Error, times: number, middleware: ClientMiddleware) {
    let attempts = 0;
    const attempt = () => {
      if (++attempts <= times) throw error;
      return { content: [], tools: [] };
    };
    const server = exchangeServer({
      "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
      "tools/call": attempt,
      "tools/list": attempt,
    });
    return { client: await connect(server, { middleware: [middleware] }), attempts: () => attempts };
  }
  const lost = new TransportError("CONNECTION_LOST", "gone");

  test("sends again what changes nothing, when the connection failed under it", async () => {
    const { client, attempts } = await failing(lost, 2, retry({ delay: 1 }));
    await expect(client.listTools()).resolves.toMatchObject({ tools: [] });
    expect(attempts()).toBe(3);
    await client.close();
  });

  test("gives up after the allowed attempts", async () => {
    const { client, attempts } = await failing(lost, 9, retry({ delay: 1, attempts: 2 }));
    await expect(client.listTools()).rejects.toBe(lost);
    expect(attempts()).toBe(2);
    await client.close();
  });

  test("never sends a tool call again, unless told that it may", async () => {
    const { client, attempts } = await failing(lost, 1, retry({ delay: 1 }));
    await expect(client.callTool("t")).rejects.toBe(lost);
    expect(attempts()).toBe(1);
    await client.close();
    for (const tools of [["t"], (name: string) => name === "t"]) {
      const told = await failing(lost, 1, retry({ delay: 1, tools }));
      await expect(told.client.callTool("t")).resolves.toBeDefined();
      await told.client.close();
    }
  });

  test.each([
    [new RpcError(-32603, "Internal error"), 1],
    [new RpcError(-32603, "The server is shutting down.", { refusal: toRefusal(503, false, true) }), 2],
    [new AuthError("FORBIDDEN", "not you"), 1],
    [new HttpStatusError(500, "no"), 1],
    [new HttpStatusError(503, "busy"), 2],
    [new TransportError("CONNECT_FAILED", "refused"), 2],
  ])("%s is met with %d attempts", async (error, expected) => {
    const { client, attempts } = await failing(error, 1, retry({ delay: 1 }));
    await client.listTools().catch(() => {});
    expect(attempts()).toBe(expected);
    await client.close();
  });

  test.each([{ attempts: Number.NaN }, { attempts: -1 }, { delay: Number.NaN }])("refuses %o", (options) => {
    expect(() => retry(options)).toThrow(UsageError);
  });

  test("stops when the call is cancelled", async () => {
    const stop = new AbortController();
    const { client, attempts } = await failing(lost, 9, (call, next) =>
      retry({ delay: 1, retryOn: () => (stop.abort(new Error("stop")), true) })(call, next),
    );
    await expect(client.listTools({ signal: stop.signal })).rejects.toThrow("stop");
    expect(attempts()).toBe(1);
    await client.close();
  });
});

describe("time limit", () => {
  test("bounds a call as a whole, and tells the server", async () => {
    const { server, client } = await connected([limitCallTime({ timeout: 5 })], { "tools/call": () => SILENCE });
    await expect(client.callTool("t")).rejects.toMatchObject({
      code: "TIMEOUT",
      message: expect.stringContaining("t took longer than the 5 ms") as string,
    });
    await server.arrival(isCall("notifications/cancelled"));
    await client.close();
  });

  test("bounds the time that people take to answer, and that other middleware takes", async () => {
    const form = { message: "?", requestedSchema: { type: "object", properties: {} } };
    const asking = {
      resultType: "input_required",
      inputRequests: { a: { method: "elicitation/create", params: form } },
    };
    const { client } = await connected(
      [limitCallTime({ tools: { t: 5 } })],
      { "tools/call": asking },
      { elicitation: () => new Promise(() => {}) },
    );
    await expect(client.callTool("t")).rejects.toMatchObject({ code: "TIMEOUT" });
    await client.close();
    const slow = await connected([limitCallTime({ timeout: 5 }), approval(() => new Promise(() => {}))]);
    await expect(slow.client.callTool("t")).rejects.toMatchObject({ code: "TIMEOUT" });
    await slow.client.close();
  });

  test.each([{ timeout: Number.NaN }, { timeout: -1 }, { tools: { t: Number.NaN } }])("refuses %o", (options) => {
    expect(() => limitCallTime(options)).toThrow(UsageError);
  });

  test("leaves what it is not meant for alone", async () => {
    const { client } = await connected([limitCallTime({ tools: { other: 1 } })]);
    await expect(client.callTool("t")).resolves.toBeDefined();
    await expect(client.callTool("constructor")).resolves.toBeDefined();
    await client.close();
  });
});

describe("middleware says at once what is wrong with", () => {
  /** As seen from JavaScript, where no compiler objects. */
  type Maker = (...given: readonly unknown[]) => ClientMiddleware;

  test.each<[name: string, make: Maker, given: readonly unknown[], message: string]>([
    ["approval", approval as Maker, [], "`approval` takes a function that decides: approval(decide); got nothing."],
    ["approval", approval as Maker, [true], "approval(decide); got true."],
    [
      "auditCalls",
      auditCalls as Maker,
      [],
      "`auditCalls` takes a function that writes entries first: auditCalls(write, options)",
    ],
    ["auditCalls", auditCalls as Maker, [console], "auditCalls(write, options); got an object (console)."],
    ["auditCalls", auditCalls as Maker, [() => {}, { methods: "tools/call" }], "`methods` must be an array of names"],
    ["limitCallTime", limitCallTime as Maker, [], "`limitCallTime` takes { timeout, tools }; got nothing."],
    ["limitCallTime", limitCallTime as Maker, [1000], "`limitCallTime` takes { timeout, tools }; got 1000."],
    [
      "retry",
      retry as Maker,
      [{ tools: "remove_all" }],
      '`tools` must be an array of names, or a function; got "remove_all".',
    ],
    ["auditCalls", auditCalls as Maker, [() => {}, null], "`options` must be an object; got nothing."],
    [
      "limitCallTime",
      limitCallTime as Maker,
      [{ tools: null }],
      "`limitCallTime` takes { timeout, tools }; got an object.",
    ],
    ["retry", retry as Maker, ["search"], '`options` must be an object; got "search".'],
    ["retry", retry as Maker, [null], "`options` must be an object; got nothing."],
    ["retry", retry as Maker, [{ retryOn: true }], "`retryOn` must be a function; got true."],
  ])("%s", (_, make, given, message) => {
    expect(() => make(...given)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining(message) as string,
      }) as Error,
    );
  });
});

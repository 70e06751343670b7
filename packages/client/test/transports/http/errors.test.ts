import { once } from "node:events";
import { inspect } from "node:util";
import { MetaKey, ProtocolViolation, UsageError } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../../../../../test/eventually.ts";
import { createHttpTransport, HttpStatusError, type HttpTransportOptions } from "../../../src/http.ts";
import type { HttpBackend } from "../../../src/transports/http/backend.ts";
import { HttpClient } from "../../../src/transports/http/client.ts";
import { connect } from "../../../src/index.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen, openEvents, sendJson } from "./listen.ts";
import { createFetchTransport, createUndiciTransport } from "./backends.ts";

const MODERN = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: {} } };

describe.each([
  ["fetch", createFetchTransport],
  ["undici", createUndiciTransport],
] as const)("HTTP by %s", (_, create) => {
  function open(url: string | URL, options: Omit<HttpTransportOptions, "fetch"> = {}): Caller {
    const transport = create(url, options);
    void transport.open({});
    onTestFinished(() => transport.close());
    return new Caller(transport);
  }

  async function failureOf(caller: Caller): Promise<Error> {
    return caller.call("m", MODERN).then(
      () => expect.unreachable("The call must fail."),
      (error: unknown) => error as Error,
    );
  }

  it.each([
    [202, {}, "", 'content type (none) and a body that begins ""'],
    [200, { "content-type": "application/json" }, "", 'content type application/json and a body that begins ""'],
    [200, { "content-type": "application/json" }, "null", 'a body that begins "null"'],
    [
      200,
      { "content-type": "text/html" },
      "<html>Welcome",
      'content type text/html and a body that begins "<html>Welcome"',
    ],
  ])("a success that is no answer is shown: %i, %o, %j", async (status, headers, body, shown) => {
    const { url } = await listen((__, response) => response.writeHead(status, headers).end(body));
    const error = await failureOf(open(url));
    expect(error).toBeInstanceOf(HttpStatusError);
    expect(error).toMatchObject({ code: "UNEXPECTED_RESPONSE", status });
    expect(error.message).toContain(shown);
  });

  it("an error in the body of a refusal is the answer, whatever id the server has made up", async () => {
    const { url } = await listen((__, response) =>
      sendJson(response, { jsonrpc: "2.0", id: "server-error", error: { code: -32600, message: "No session" } }, 400),
    );
    expect(await failureOf(open(url))).toMatchObject({ code: -32600, message: "No session" });
  });

  it.each([
    ["names the request", (id: unknown) => id],
    ["makes up an id", () => "server-error"],
  ])("an error says which method was refused, where the server %s", async (__, idOf) => {
    const { url } = await listen(({ message }, response) => {
      const error = { code: -32601, message: "Method not found" };
      sendJson(response, { jsonrpc: "2.0", id: idOf(message!.id), error }, 404);
    });
    expect(await failureOf(open(url))).toMatchObject({ code: -32601, message: "Method not found", method: "m" });
  });

  it.each([
    [400, "Missing X-Tenant header", '"Missing X-Tenant header"'],
    [401, '{"error":"invalid_token"}', String.raw`"{\"error\":\"invalid_token\"}"`],
    [403, "Not from\u001B[31mhere", String.raw`"Not from\u001b[31mhere"`],
    [503, "x".repeat(300), `"${"x".repeat(200)}"`],
  ])("a refusal by %i is told in the words of its page: %j", async (status, body, shown) => {
    const { url } = await listen((__, response) => response.writeHead(status).end(body));
    const { message } = await failureOf(open(url));
    expect(message.slice(message.indexOf("It says"))).toBe(`It says: ${shown}`);
  });

  it.each([
    [503, "busy", true],
    [404, "", true],
    [500, "", false],
    [502, "<html>Bad Gateway", false],
    [504, '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Upstream timed out"}}', false],
  ])("a refusal by %i (%j) says that nothing was run: %s", async (status, body, isUnread) => {
    const { url } = await listen((__, response) => response.writeHead(status).end(body));
    // A gateway sends some of them, too, when the server behind it has died in the middle of the request.
    expect(await failureOf(open(url))).toMatchObject({ refusal: { isUnread } });
  });

  it("secrets of the URL are not repeated", async () => {
    const { url } = await listen((__, response) => response.writeHead(500).end());
    const secret = new URL(`${url}?token=SECRET`);
    const error = await failureOf(open(secret));
    expect(error.message).toContain(`${url} answered`);
    expect(error.message).not.toContain("SECRET");
  });

  it.each([
    [401, "UNAUTHORIZED"],
    [403, "FORBIDDEN"],
  ])("a refusal by %i has the server's challenge, whatever was refused", async (status, code) => {
    const challenges = ['Bearer realm="a", scope="tools"', 'Basic realm="b"'];
    const { url } = await listen((__, response) =>
      response.writeHead(status, { "WWW-Authenticate": challenges }).end(),
    );
    const refusal = { code, challenge: challenges.join(", ") };
    const transport = create(url);
    void transport.open({});
    onTestFinished(() => transport.close());
    await expect(new Caller(transport, { timeout: 20_000 }).call("m", MODERN)).rejects.toMatchObject(refusal);
    await expect(transport.notify({ jsonrpc: "2.0", method: "n" })).rejects.toMatchObject(refusal);
  });

  it.each(["json", "events"])("an answer is known by the number of its request also as a string: %s", async (form) => {
    const { url } = await listen(({ message }, response) => {
      const answer = { jsonrpc: "2.0", id: String(message!.id), result: { ok: 1 } };
      if (form === "json") sendJson(response, answer);
      else openEvents(response)(answer);
    });
    await expect(open(url).call("m", MODERN)).resolves.toEqual({ ok: 1 });
  });

  it("a response to another request does not answer this one", async () => {
    const { url } = await listen((__, response) => sendJson(response, { jsonrpc: "2.0", id: 77, result: {} }));
    expect((await failureOf(open(url))).message).toContain("that is no response");
  });

  it("a byte order mark before a response is not part of it", async () => {
    const { url } = await listen(({ message }, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(`\uFEFF${JSON.stringify({ jsonrpc: "2.0", id: message!.id, result: { ok: 1 } })}`),
    );
    await expect(open(url).call("m", MODERN)).resolves.toEqual({ ok: 1 });
  });

  it.each([
    [401, { code: "UNAUTHORIZED", challenge: "Bearer" }],
    [500, { code: "UNEXPECTED_RESPONSE", status: 500 }],
  ])("a refusal by %i is told though its page has no end, which is cut off", async (status, refusal) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const [begun, cut] = [withResolvers<void>(), withResolvers<void>()];
    const { url } = await listen((__, response) => {
      response.on("close", cut.resolve);
      response.writeHead(status, { "www-authenticate": "Bearer" }).write("<html>", () => begun.resolve());
    });
    const failed = vi.fn();
    open(url).call("m", MODERN, { timeout: Infinity }).catch(failed);
    await begun.promise;
    await eventually(() => {
      vi.advanceTimersByTime(2000);
      expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(refusal));
    });
    await cut.promise;
  });

  it("a page of an error is read no further than it is worth, and cut off", async () => {
    const cut = withResolvers<void>();
    const { url } = await listen((__, response) => {
      response.on("close", cut.resolve);
      response.writeHead(500, { "content-type": "text/html" });
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(16_384)));
        response.once("drain", more);
      };
      more();
    });
    expect(await failureOf(open(url))).toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 500 });
    await cut.promise;
  });

  it("media types are the same in any case", async () => {
    const { url } = await listen(({ message }, response) => {
      openEvents(response, { "content-type": "Text/Event-Stream;charset=utf-8" })({
        jsonrpc: "2.0",
        id: message!.id,
        result: { ok: 1 },
      });
      response.end();
    });
    await expect(open(url).call("m", MODERN)).resolves.toEqual({ ok: 1 });
  });

  it.each([
    ["value", { "x-token": "a\nb\u2028SECRET" }, "x-token"],
    ["name", { "x token": "SECRET" }, '"x token"'],
  ])("a header whose %s cannot be sent is the caller's mistake, and named", async (__, headers, named) => {
    const { url, seen } = await listen((___, response) => sendJson(response, {}));
    const error = await failureOf(open(url, { headers }));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(error.message).toContain(named);
    expect(inspect(error)).not.toContain("SECRET");
    expect(seen).toEqual([]);
  });
});

it.each([
  [
    "an answer that is too large by its own account",
    { "content-type": "application/json", "content-length": "5000" },
    "{",
  ],
  ["an answer that turns out to be too large", { "content-type": "application/json" }, " ".repeat(2000)],
  ["an event that is too large", { "content-type": "text/event-stream" }, `data: ${" ".repeat(2000)}`],
])("%s is cut off, and the error says what to raise", async (_, headers, body) => {
  const cut = withResolvers<unknown>();
  const { url } = await listen((__, response) => {
    cut.resolve(once(response, "close"));
    response.writeHead(200, headers).write(body);
  });
  const transport = createHttpTransport(url, { maxMessageBytes: 1000 });
  void transport.open({});
  onTestFinished(() => transport.close());
  const call = new Caller(transport).call("m", MODERN);
  await expect(call).rejects.toBeInstanceOf(ProtocolViolation);
  await expect(call).rejects.toMatchObject({
    code: "TOO_LARGE",
    message: expect.stringContaining("`maxMessageBytes`"),
  });
  await cut.promise;
});

it.each([createFetchTransport, createUndiciTransport])(
  "a limit that would be none is refused by %o",
  async (create) => {
    for (const [name, expected] of [
      ["maxMessageBytes", "a whole number of bytes"],
      ["acknowledgeTimeout", "a number of milliseconds"],
    ] as const) {
      const transport = create("http://localhost/mcp", { [name]: Number.NaN });
      await expect(connect(transport)).rejects.toThrow(`\`${name}\` must be ${expected}`);
    }
  },
);

it("no timer waits for the rest of an error page once the request is given up", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const backend: HttpBackend = {
    spareConnections: 0,
    send(_, sink) {
      sink.head(500, () => undefined);
      return { mayBeSent: true, abort() {} };
    },
    async close() {},
  };
  const unheard = vi.fn();
  const sent = new HttpClient(new URL("http://localhost/mcp"), {}, backend).send("POST", {}, "{}", {
    message: unheard,
    violation: unheard,
    refused: unheard,
    end: unheard,
    failed: unheard,
  });
  expect(vi.getTimerCount()).toBe(1);
  sent.abort();
  expect(vi.getTimerCount()).toBe(0);
  expect(unheard).not.toHaveBeenCalled();
});

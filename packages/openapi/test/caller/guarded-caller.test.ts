import { readFileSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { ToolError } from "@toolwire/server";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { HttpDiagnostic } from "../../src/caller/diagnostics.ts";
import { createHttpCaller, createNetworkGuard } from "../../src/caller/guarded-caller.ts";
import type { HttpCallerOptions } from "../../src/caller/options.ts";
import { answerJson, startApi, startRawApi } from "../test-api.ts";
import { cancelCalls } from "./cancellation.ts";
import { bodyText, failureOf, send } from "./send.ts";

const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  await Promise.all(opened.map((caller) => caller.close()));
});

function callerWith(options: HttpCallerOptions = {}) {
  const caller = createHttpCaller({ network: { allow: ["localhost"] }, ...options });
  opened.push(caller);
  return caller;
}

describe("a request", () => {
  it("arrives with its method, path, headers and body exactly as they were built", async () => {
    await using api = await startApi();
    const path = "/a%2Fb/%2e%2e/c;d=1?x=%7C&y=a'b";
    const headers = { "x-a": "b", "content-type": "text/plain" };
    const response = await send(callerWith(), api.origin, { method: "POST", path, headers, body: "hé" });
    expect(api.seen[0]).toMatchObject({ method: "POST", url: path, body: "hé" });
    expect(api.seen[0]?.headers).toMatchObject({ "x-a": "b", "content-type": "text/plain", "content-length": "3" });
    expect(response).toMatchObject({ status: 200, attempts: 1 });
    expect(response.headers["content-type"]).toBe("application/json");
    expect(response.firstByteMs).toBeGreaterThan(0);
    expect(bodyText(response)).toBe('{"ok":true}');
  });

  it("uses one connection for calls that follow each other", async () => {
    await using api = await startApi();
    const caller = callerWith();
    for (let call = 0; call < 20; call++) await send(caller, api.origin);
    expect(api.connections()).toBe(1);
  });

  it("carries bytes as they are", async () => {
    await using api = await startRawApi((socket) => {
      let received = Buffer.alloc(0);
      socket.on("data", (chunk) => {
        received = Buffer.concat([received, chunk]);
        if (!received.subarray(-3).equals(Buffer.from([0, 255, 128]))) return;
        socket.end("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
      });
    });
    const response = await send(callerWith(), api.origin, { method: "PUT", body: new Uint8Array([0, 255, 128]) });
    expect(response.status).toBe(204);
    expect(response.body).toHaveLength(0);
  });

  it("joins headers that come several times", async () => {
    await using api = await startApi((response) => {
      response.setHeader("x-a", ["1", "2"]);
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.end();
    });
    const { headers } = await send(callerWith(), api.origin);
    expect(headers["x-a"]).toBe("1, 2");
    expect(headers["set-cookie"]).toBe("a=1, b=2");
  });
});

describe("compressed responses", () => {
  const text = JSON.stringify({ text: "x".repeat(10_000) });

  it.each([
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["br", brotliCompressSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["identity", Buffer.from(text)],
    ["gzip, br", brotliCompressSync(gzipSync(text))],
  ])("are decoded: %s", async (coding, bytes) => {
    await using api = await startApi((response) => response.writeHead(200, { "content-encoding": coding }).end(bytes));
    expect(bodyText(await send(callerWith(), api.origin))).toBe(text);
    expect(api.seen[0]?.headers["accept-encoding"]).toBe("gzip, deflate, br");
  });

  it("are decoded by another thread if they are long", async () => {
    const long = Array.from({ length: 30_000 }, (_, index) => `${index * 7919}`).join(",");
    await using api = await startApi((response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(long)),
    );
    expect(bodyText(await send(callerWith(), api.origin))).toBe(long);
  });

  it("are not asked for if the operator does not want them", async () => {
    await using api = await startApi();
    await send(callerWith({ compression: false }), api.origin);
    expect(api.seen[0]?.headers["accept-encoding"]).toBe("identity");
  });

  it.each(["gzip", "br", "deflate", "zstd", "gzip, gzip, gzip"])(
    "that are broken or unknown fail with a text: %s",
    async (coding) => {
      await using api = await startApi((response) =>
        response.writeHead(200, { "content-encoding": coding }).end("this is no such thing"),
      );
      const failure = await failureOf(send(callerWith(), api.origin));
      expect(failure).toBe("Error: Upstream API response is compressed in a way that cannot be read");
    },
  );
});

describe("time limits", () => {
  it("end a call whose response does not begin", async () => {
    await using api = await startApi(() => {});
    const failure = await failureOf(send(callerWith(), api.origin, {}, { timeout: 50 }));
    expect(failure).toBe("Error: Upstream API did not answer within 50 ms");
  });

  it("end a call whose response does not begin within the time for that", async () => {
    await using api = await startApi(() => {});
    const failure = await failureOf(send(callerWith({ firstByteTimeout: 50 }), api.origin, {}, { timeout: 60_000 }));
    expect(failure).toBe("Error: Upstream API did not answer within 50 ms");
  });

  it("end a call whose body does not end", async () => {
    await using api = await startApi((response) => response.writeHead(200).write("beginning"));
    const failure = await failureOf(send(callerWith({ firstByteTimeout: 20_000 }), api.origin, {}, { timeout: 100 }));
    expect(failure).toBe("Error: Upstream API did not answer within 100 ms");
  });

  it("are told in seconds where they are whole seconds", async () => {
    await using api = await startApi(() => {});
    expect(await failureOf(send(callerWith(), api.origin, {}, { timeout: 1000 }))).toBe(
      "Error: Upstream API did not answer within 1 s",
    );
  });

  it("end a connection that does not come about", async () => {
    // A lookup that takes forever is a connection that does not come about.
    const diagnostics: HttpDiagnostic[] = [];
    const caller = callerWith({
      lookup: () => new Promise(() => {}),
      connectTimeout: 50,
      onDiagnostic: (each) => diagnostics.push(each),
    });
    expect(await failureOf(send(caller, "http://slow.example"))).toBe("Error: Upstream API could not be reached");
    expect(diagnostics).toMatchObject([{ type: "call-failed", message: "slow.example did not accept a connection" }]);
  });
});

describe("failures", () => {
  it("are tool errors with constant texts, and tell the operator more", async () => {
    const { port } = await startApi().then(async (api) => {
      await api[Symbol.asyncDispose]();
      return api;
    });
    const diagnostics: HttpDiagnostic[] = [];
    const caller = callerWith({ onDiagnostic: (each) => diagnostics.push(each) });
    const error: unknown = await send(caller, `http://127.0.0.1:${port}`).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ToolError);
    expect((error as Error).message).toBe("Error: Upstream API could not be reached");
    expect(diagnostics).toMatchObject([{ type: "call-failed", origin: `http://127.0.0.1:${port}` }]);
    expect(diagnostics[0]?.message).toContain("ECONNREFUSED");
  });

  it("say that a connection was closed in the middle of a response", async () => {
    await using api = await startRawApi((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"));
    });
    expect(await failureOf(send(callerWith(), api.origin))).toBe(
      "Error: Upstream API closed the connection before its response was complete",
    );
  });

  it("do not follow from a listener that throws", async () => {
    const caller = createHttpCaller({
      onDiagnostic() {
        throw new Error("mine");
      },
    });
    expect(await failureOf(send(caller, "http://127.0.0.1:1"))).toBe("Error: Upstream API address is not allowed");
  });
});

describe("connections to one origin", () => {
  it("are limited, further calls wait, and those beyond the waiting line fail at once", async () => {
    const waiting: (() => void)[] = [];
    await using api = await startApi((response) => waiting.push(() => answerJson(response, { ok: true })));
    const caller = callerWith({ maxConnections: 2, maxWaiting: 2 });
    const calls = [1, 2, 3, 4].map(() => send(caller, api.origin));
    expect(await failureOf(send(caller, api.origin))).toBe(
      "Error: Upstream API is busy: too many calls are waiting for it. Try again later",
    );
    await expect.poll(() => waiting.length).toBe(2);
    for (let answered = 0; answered < 4; answered++) {
      await expect.poll(() => waiting.length).toBeGreaterThan(answered);
      waiting[answered]?.();
    }
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(api.connections()).toBe(2);
  });

  it("end with calls whose cancellation says so, whether they were sent, wait or are new", async () => {
    const { failures, sent, listening } = await cancelCalls(callerWith({ maxConnections: 1, maxWaiting: 2 }));
    expect(failures).toEqual(Array.from({ length: 3 }, () => "Error: The call was cancelled"));
    // The one that was answered, and the one whose connection was closed.
    expect(sent).toBe(2);
    expect(listening).toBe(0);
  });

  it("are free again after calls that were cancelled while they waited", async () => {
    const waiting: (() => void)[] = [];
    await using api = await startApi((response) => waiting.push(() => answerJson(response, { ok: true })));
    const caller = callerWith({ maxConnections: 1, maxWaiting: 1 });
    const first = send(caller, api.origin);
    const abort = new AbortController();
    const second = failureOf(send(caller, api.origin, {}, { signal: abort.signal }));
    abort.abort();
    expect(await second).toBe("Error: The call was cancelled");
    const third = send(caller, api.origin);
    await expect.poll(() => waiting.length).toBe(1);
    waiting[0]?.();
    await first;
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.();
    expect((await third).status).toBe(200);
    expect(api.seen).toHaveLength(2);
  });

  it("survive a thousand calls at once", async () => {
    await using api = await startApi();
    const caller = callerWith({ maxConnections: 8 });
    const calls = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => send(caller, api.origin, { path: `/${index}` })),
    );
    expect(calls.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(api.seen.map(({ url }) => url)).size).toBe(1000);
    expect(api.connections()).toBeLessThanOrEqual(8);
  });

  it("are closed with the caller, which answers what is under way", async () => {
    await using api = await startApi((response) => setTimeout(() => answerJson(response, {}), 20));
    const caller = createHttpCaller({ network: { allow: ["localhost"] } });
    const call = send(caller, api.origin);
    await expect.poll(() => api.seen.length).toBe(1);
    await caller.close();
    expect((await call).status).toBe(200);
  });
});

describe("retries", () => {
  /** An API that fails with the given statuses before it succeeds. */
  function failingApi(...statuses: number[]) {
    return startApi((response) => {
      const status = statuses.shift();
      if (status === undefined) answerJson(response, { ok: true });
      else answerJson(response.setHeader("retry-after", "0"), { message: "later" }, status);
    });
  }

  it.each([429, 502, 503, 504])("repeat a GET after the status %i", async (status) => {
    await using api = await failingApi(status, status);
    const response = await send(callerWith(), api.origin, {}, { retries: 2 });
    expect(response).toMatchObject({ status: 200, attempts: 3 });
    expect(api.seen).toHaveLength(3);
  });

  it.each([400, 404, 500, 501])("do not repeat after the status %i", async (status) => {
    await using api = await failingApi(status);
    expect(await send(callerWith(), api.origin, {}, { retries: 2 })).toMatchObject({ status, attempts: 1 });
  });

  it("end with the last response", async () => {
    await using api = await failingApi(503, 503, 503);
    expect(await send(callerWith(), api.origin, {}, { retries: 1 })).toMatchObject({ status: 503, attempts: 2 });
  });

  it("are not made if the API wants a longer pause than there is time for", async () => {
    await using api = await startApi((response) => answerJson(response.setHeader("retry-after", "9"), {}, 429));
    expect(await send(callerWith(), api.origin, {}, { retries: 2, timeout: 5000 })).toMatchObject({
      status: 429,
      attempts: 1,
    });
    await using other = await startApi((response) => answerJson(response.setHeader("retry-after", "3600"), {}, 503));
    expect(await send(callerWith(), other.origin, {}, { retries: 2, timeout: 60_000_000 })).toMatchObject({
      status: 503,
      attempts: 1,
    });
  });

  it("follow a date in Retry-After that has passed", async () => {
    let calls = 0;
    await using api = await startApi((response) => {
      calls += 1;
      answerJson(response.setHeader("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), {}, calls === 1 ? 503 : 200);
    });
    expect(await send(callerWith(), api.origin, {}, { retries: 1 })).toMatchObject({ status: 200, attempts: 2 });
  });

  it("repeat a GET whose connection was lost before the response, and tell the operator", async () => {
    let connections = 0;
    await using api = await startRawApi((socket) => {
      connections += 1;
      const isFirst = connections === 1;
      socket.once("data", () =>
        isFirst ? socket.destroy() : socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
      );
    });
    const diagnostics: HttpDiagnostic[] = [];
    const caller = callerWith({ onDiagnostic: (each) => diagnostics.push(each) });
    expect(await send(caller, api.origin, {}, { retries: 1 })).toMatchObject({ status: 200, attempts: 2 });
    expect(diagnostics).toMatchObject([{ type: "retried", attempt: 1 }]);
  });

  it("stop with the call, even if a listener ends it", async () => {
    await using api = await startApi((response, { url }) => {
      if (url === "/") answerJson(response.setHeader("retry-after", "0"), {}, 503);
      else setTimeout(() => answerJson(response, {}), 20);
    });
    const abort = new AbortController();
    using _ = vi.spyOn(Math, "random").mockReturnValue(0);
    const caller = callerWith({ onDiagnostic: () => abort.abort() });
    const call = failureOf(send(caller, api.origin, {}, { retries: 5, signal: abort.signal }));
    expect(await call).toBe("Error: The call was cancelled");
    // Without a pause, a second attempt would come before the response to this call.
    await send(caller, api.origin, { path: "/other" });
    expect(api.seen.map(({ url }) => url)).toEqual(["/", "/other"]);
  });
});

describe("redirects", () => {
  it("are followed within the origin if the operator wants it, with the headers of the request", async () => {
    await using api = await startApi((response, { url }) => {
      if (url === "/new/place?x=1") answerJson(response, { ok: true });
      else response.writeHead(307, { location: "new/place?x=1" }).end();
    });
    const caller = callerWith({ maxRedirects: 1 });
    const response = await send(caller, api.origin, { headers: { authorization: "Bearer x" } });
    expect(response).toMatchObject({ status: 200, attempts: 2 });
    expect(api.seen[1]?.headers.authorization).toBe("Bearer x");
  });

  it("are followed as often as allowed", async () => {
    await using api = await startApi((response, { url }) => response.writeHead(302, { location: `${url}x` }).end());
    expect((await send(callerWith({ maxRedirects: 3 }), api.origin)).status).toBe(302);
    expect(api.seen.map(({ url }) => url)).toEqual(["/", "/x", "/xx", "/xxx"]);
  });

  it("of a POST are not followed", async () => {
    await using api = await startApi((response) => response.writeHead(303, { location: "/other" }).end());
    expect((await send(callerWith({ maxRedirects: 3 }), api.origin, { method: "POST" })).status).toBe(303);
    expect(api.seen).toHaveLength(1);
  });
});

describe("options of createHttpCaller", () => {
  it.each([
    [{ maxRedirect: 1 }, "createHttpCaller has no option `maxRedirect`. Did you mean `maxRedirects`?"],
    [{ maxRedirects: 4 }, "`maxRedirects` must be at most 3; got 4."],
    [{ network: { allowed: [] } }, "network has no option `allowed`. Did you mean `allow`?"],
    [{ network: { allow: "10.0.0.0/8" } }, "`network.allow` must be a list of texts"],
    [{ maxConnections: 0 }, "`maxConnections` must be a whole number of at least 1; got 0."],
    [{ connectTimeout: -1 }, "`connectTimeout` must be"],
    [{ onDiagnostic: 1 }, "`onDiagnostic` must be a function"],
  ])("are checked at once: %j", (options, message) => {
    expect(() => createHttpCaller(options as HttpCallerOptions)).toThrow(message);
  });
});

describe("TLS", () => {
  it("works over checked connections, with certificates of one's own", async () => {
    const pem = readFileSync(new URL("../../../client/test/transports/http/fixtures/self-signed.pem", import.meta.url));
    const server = createSecureServer({ key: pem, cert: pem }, (_, response) => response.end("secure"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const lookup = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    const trusting = callerWith({ tls: { ca: pem }, lookup });
    expect(bodyText(await send(trusting, `https://localhost:${port}`))).toBe("secure");
    const diagnostics: HttpDiagnostic[] = [];
    const distrusting = callerWith({ lookup, onDiagnostic: (each) => diagnostics.push(each) });
    expect(await failureOf(send(distrusting, `https://localhost:${port}`))).toBe(
      "Error: Upstream API could not be reached",
    );
    expect(diagnostics[0]?.message).toMatch(/self.signed/);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("the guard for connections of other libraries", () => {
  it("checks URLs, lookups and connections", async () => {
    const diagnostics: HttpDiagnostic[] = [];
    const lookup = () => Promise.resolve([{ address: "10.0.0.1", family: 4 }]);
    const guard = createNetworkGuard({ lookup, onDiagnostic: (each) => diagnostics.push(each) });
    expect(() => guard.check("wss://[::1]/x")).toThrow("The address is not allowed.");
    expect(() => guard.check("wss://api.example.com/x")).not.toThrow();
    await expect(
      new Promise((resolve, reject) =>
        guard.lookup("x.example", { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
      ),
    ).rejects.toThrow("The address is not allowed.");
    const target = { hostname: "127.0.0.1", protocol: "http:", port: "1" };
    await expect(
      new Promise((resolve, reject) =>
        guard.connect(target, (error, socket) => (error ? reject(error) : resolve(socket))),
      ),
    ).rejects.toThrow("The address is not allowed.");
    expect(diagnostics.map(({ type }) => type)).toEqual(["address-refused", "address-refused", "address-refused"]);
  });
});

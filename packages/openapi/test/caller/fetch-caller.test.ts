import { describe, expect, it } from "vitest";
import type { HttpDiagnostic } from "../../src/caller/diagnostics.ts";
import { createHttpCaller, createNetworkGuard } from "../../src/caller/fetch-caller.ts";
import type { HttpCallerOptions } from "../../src/caller/options.ts";
import { answerJson, startApi, startRawApi } from "../test-api.ts";
import { cancelCalls } from "./cancellation.ts";
import { bodyText, failureOf, send } from "./send.ts";

function callerWith(options: HttpCallerOptions = {}) {
  return createHttpCaller({ network: { allow: ["localhost"] }, onDiagnostic: () => {}, ...options });
}

describe("the caller without Node", () => {
  it("sends a request and reads the response", async () => {
    await using api = await startApi();
    const request = {
      method: "POST",
      path: "/a%2Fb?x=%7C",
      headers: { "x-a": "b", "content-type": "text/plain" },
      body: "hé",
    } as const;
    const response = await send(callerWith(), api.origin, request);
    expect(response).toMatchObject({ status: 200, attempts: 1 });
    expect(bodyText(response)).toBe('{"ok":true}');
    expect(api.seen[0]).toMatchObject({ method: "POST", url: "/a%2Fb?x=%7C", body: "hé" });
    expect(api.seen[0]?.headers["x-a"]).toBe("b");
  });

  it("refuses addresses that a URL names, and hosts that are not pinned", async () => {
    const diagnostics: HttpDiagnostic[] = [];
    const caller = createHttpCaller({
      network: { hosts: ["127.0.0.1", "api.example.com"] },
      onDiagnostic: (each) => diagnostics.push(each),
    });
    expect(await failureOf(send(caller, "http://127.0.0.1:1"))).toBe("Error: Upstream API address is not allowed");
    expect(await failureOf(send(caller, "https://other.example.com"))).toBe(
      "Error: Upstream API address is not allowed",
    );
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining("127.0.0.1 is a loopback address"),
      expect.stringContaining("`network.hosts` does not name other.example.com"),
    ]);
  });

  it("does not follow redirects, unless they stay within the origin and the operator wants them", async () => {
    await using api = await startApi((response, { url }) => {
      if (url === "/new") answerJson(response, { ok: true });
      else response.writeHead(302, { location: url === "/away" ? "http://169.254.169.254/" : "/new" }).end();
    });
    expect((await send(callerWith(), api.origin)).status).toBe(302);
    expect((await send(callerWith({ maxRedirects: 1 }), api.origin)).status).toBe(200);
    expect((await send(callerWith({ maxRedirects: 1 }), api.origin, { path: "/away" })).status).toBe(302);
    expect(api.seen.map(({ url }) => url)).toEqual(["/", "/", "/new", "/away"]);
  });

  it("ends a response that is too large, and one that takes too long", async () => {
    await using api = await startApi((response, { url }) => {
      if (url === "/large") response.end("x".repeat(100_000));
      else if (url === "/slow") response.writeHead(200).write("x");
    });
    expect(await failureOf(send(callerWith(), api.origin, { path: "/large" }, { maxBytes: 1024 }))).toBe(
      "Error: Upstream API response is larger than 1 KiB",
    );
    expect(await failureOf(send(callerWith(), api.origin, { path: "/slow" }, { timeout: 100 }))).toBe(
      "Error: Upstream API did not answer within 100 ms",
    );
    expect(await failureOf(send(callerWith({ firstByteTimeout: 50 }), api.origin, { path: "/silent" }))).toBe(
      "Error: Upstream API did not answer within 50 ms",
    );
  });

  it("repeats a GET and no POST", async () => {
    let calls = 0;
    await using api = await startApi((response) =>
      answerJson(response.setHeader("retry-after", "0"), {}, (calls += 1) % 2 === 1 ? 503 : 200),
    );
    expect(await send(callerWith(), api.origin, {}, { retries: 1 })).toMatchObject({ status: 200, attempts: 2 });
    expect(await send(callerWith(), api.origin, { method: "POST" }, { retries: 1 })).toMatchObject({
      status: 503,
      attempts: 1,
    });
  });

  it("says that an API cannot be reached, or that its response was cut off", async () => {
    await using api = await startRawApi((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx")),
    );
    expect(await failureOf(send(callerWith(), api.origin))).toBe(
      "Error: Upstream API closed the connection before its response was complete",
    );
    await using gone = await startRawApi((socket) => socket.destroy());
    expect(await failureOf(send(callerWith(), gone.origin, { method: "POST" }))).toBe(
      "Error: Upstream API could not be reached",
    );
  });

  it("ends calls whose cancellation says so, whether they were sent, wait or are new", async () => {
    const { failures, sent, listening } = await cancelCalls(callerWith({ maxConnections: 1, maxWaiting: 2 }));
    expect(failures).toEqual(Array.from({ length: 3 }, () => "Error: The call was cancelled"));
    // The one that was answered, and the one whose connection was closed.
    expect(sent).toBe(2);
    expect(listening).toBe(0);
  });

  it("passes on cancellation, also to calls that wait", async () => {
    let closed = 0;
    await using api = await startApi((response) => response.on("close", () => (closed += 1)));
    const caller = callerWith({ maxConnections: 1, maxWaiting: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(({ signal }) => failureOf(send(caller, api.origin, {}, { signal })));
    expect(await failureOf(send(caller, api.origin))).toContain("is busy");
    await expect.poll(() => api.seen.length).toBe(1);
    second.abort();
    expect(await calls[1]).toBe("Error: The call was cancelled");
    first.abort();
    expect(await calls[0]).toBe("Error: The call was cancelled");
    await expect.poll(() => closed).toBe(1);
    expect(api.seen).toHaveLength(1);
  });

  it("says which options need Node", () => {
    expect(() => createHttpCaller({ tls: {} })).toThrow("The option `tls` of createHttpCaller() needs Node.");
    expect(() => createNetworkGuard()).toThrow("createNetworkGuard() needs Node");
  });
});

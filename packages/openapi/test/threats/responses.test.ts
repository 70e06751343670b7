/** Threats by responses, and by calls that end early. */
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { createHttpCaller } from "../../src/caller/guarded-caller.ts";
import type { HttpResponse } from "../../src/caller/http-caller.ts";
import { expectResponseOptions } from "../../src/response/options.ts";
import { compileTransform } from "../../src/response/transform.ts";
import { failureOf, send } from "../caller/send.ts";
import { answerJson, startApi, startRawApi } from "../test-api.ts";

const caller = createHttpCaller({ network: { allow: ["localhost"] }, onDiagnostic: () => {} });
afterAll(() => caller.close());

const transform = compileTransform(expectResponseOptions());
function blocksOf(response: HttpResponse): unknown {
  return transform(response, {}, undefined).result;
}
function textResult(text: string): object {
  return { content: [{ type: "text", text }] };
}

describe("responses-are-bounded", () => {
  it("a bomb in gzip is given up at the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    await using api = await startApi((response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    expect(await failureOf(send(caller, api.origin))).toBe("Error: Upstream API response is larger than 1 MiB");
  });

  it("a bomb in two layers is given up at the limit", async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
    await using api = await startApi((response) =>
      response.writeHead(200, { "content-encoding": "gzip, gzip" }).end(bomb),
    );
    expect(await failureOf(send(caller, api.origin, {}, { maxBytes: 4096 }))).toBe(
      "Error: Upstream API response is larger than 4 KiB",
    );
  });

  it("an endless body is given up at the limit, and its connection is closed", async () => {
    let closed = false;
    await using api = await startApi((response) => {
      const write = (): boolean => response.write(Buffer.alloc(65_536));
      response.on("drain", write).on("close", () => (closed = true));
      write();
    });
    expect(await failureOf(send(caller, api.origin, {}, { maxBytes: 100_000 }))).toBe(
      "Error: Upstream API response is larger than 100000 bytes",
    );
    await expect.poll(() => closed).toBe(true);
  });

  it("a length that is too large is refused before the body is read", async () => {
    await using api = await startRawApi((socket) =>
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\nx")),
    );
    expect(await failureOf(send(caller, api.origin))).toBe("Error: Upstream API response is larger than 1 MiB");
  });

  it("a slow body ends with the time of the call", async () => {
    await using api = await startApi((response) => {
      const timer = setInterval(() => response.write("x"), 5);
      response.on("close", () => clearInterval(timer));
    });
    expect(await failureOf(send(caller, api.origin, {}, { timeout: 200 }))).toBe(
      "Error: Upstream API did not answer within 200 ms",
    );
  });

  it("a wrong length is an error and no result", async () => {
    await using api = await startRawApi((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{}")),
    );
    expect(await failureOf(send(caller, api.origin))).toBe(
      "Error: Upstream API closed the connection before its response was complete",
    );
  });

  it("headers without end are given up", async () => {
    await using api = await startRawApi((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\n");
        const write = (): boolean => socket.write(`x-${"a".repeat(1000)}: ${"b".repeat(10_000)}\r\n`);
        const timer = setInterval(write, 1);
        socket.on("close", () => clearInterval(timer));
      });
    });
    expect(await failureOf(send(caller, api.origin))).toBe(
      "Error: Upstream API closed the connection before its response was complete",
    );
  });

  it.each([
    "garbage\r\n\r\n",
    "HTTP/1.1 999999 X\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    "\0\0\0",
  ])("bytes that are no HTTP are an error: %j", async (bytes) => {
    await using api = await startRawApi((socket) => socket.once("data", () => socket.end(bytes)));
    expect(await failureOf(send(caller, api.origin))).toMatch(/^Error: Upstream API /);
  });
});

describe("bodies-arrive-as-they-are", () => {
  async function resultOf(contentType: string | undefined, body: string | Buffer, status = 200): Promise<unknown> {
    await using api = await startApi((response) => {
      if (contentType !== undefined) response.setHeader("content-type", contentType);
      response.writeHead(status).end(body);
    });
    return blocksOf(await send(caller, api.origin));
  }

  it.each([
    ["an id of twenty digits", '{"id":12345678901234567890}'],
    ["duplicate keys", '{"a":1,"a":2}'],
    ["white space", ' { "a" : 1.0,\n\t"b":1e5 } \n'],
    ["escapes", String.raw`{"a":"\u00e9\/"}`],
    ["invalid JSON", '{"a":'],
    ["names of prototypes", '{"__proto__":{"x":1},"constructor":1}'],
  ])("JSON with %s is the text of the result, byte for byte", async (_, json) => {
    expect(await resultOf("application/json; charset=utf-8", json)).toEqual(textResult(json));
  });

  it("HTML, CSV and text without a type are texts", async () => {
    expect(await resultOf("text/html", "<!doctype html><p>é")).toEqual(textResult("<!doctype html><p>é"));
    expect(await resultOf("text/csv", "a,b\r\n1,2")).toEqual(textResult("a,b\r\n1,2"));
    expect(await resultOf(undefined, "plain é")).toEqual(textResult("plain é"));
  });

  it("an empty body is its status", async () => {
    expect(await resultOf("application/json", "", 204)).toEqual(textResult('{"status":204}'));
    expect(await resultOf(undefined, "", 201)).toEqual(textResult('{"status":201}'));
  });

  it("binary data is described by its type and size", async () => {
    expect(await resultOf("image/png", Buffer.alloc(123))).toEqual(textResult('{"mimeType":"image/png","bytes":123}'));
    expect(await resultOf(undefined, Buffer.from([0xff, 0, 1]))).toEqual(
      textResult('{"mimeType":"application/octet-stream","bytes":3}'),
    );
  });

  it("a byte order mark is left out, and other charsets are decoded", async () => {
    expect(await resultOf("application/json", "\uFEFF{}")).toEqual(textResult("{}"));
    expect(await resultOf("text/plain; charset=iso-8859-1", Buffer.from("é", "latin1"))).toEqual(textResult("é"));
    expect(await resultOf('text/plain; charset="utf-16le"', Buffer.from("é", "utf16le"))).toEqual(textResult("é"));
    expect(
      await resultOf("application/json", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("{}", "utf16le")])),
    ).toEqual(textResult("{}"));
    expect(await resultOf("text/plain; charset=klingon", "é")).toEqual(textResult("é"));
  });

  it("invalid UTF-8 becomes replacement characters instead of an error", async () => {
    expect(await resultOf("application/json", Buffer.from([0x22, 0xff, 0x22]))).toEqual(textResult('"\uFFFD"'));
  });
});

describe("writes-are-sent-once", () => {
  const WRITES = ["POST", "PATCH"] as const;

  it.each(WRITES)("a %s whose response does not come in time is not repeated", async (method) => {
    await using api = await startApi(() => {});
    await failureOf(send(caller, api.origin, { method, body: "{}" }, { retries: 5, timeout: 100 }));
    expect(api.seen).toHaveLength(1);
  });

  it.each(WRITES)("a %s that gets the status 503 is not repeated", async (method) => {
    await using api = await startApi((response) => answerJson(response.setHeader("retry-after", "0"), {}, 503));
    expect(await send(caller, api.origin, { method, body: "{}" }, { retries: 5 })).toMatchObject({
      status: 503,
      attempts: 1,
    });
    expect(api.seen).toHaveLength(1);
  });

  it.each(WRITES)("a %s whose connection is lost is not repeated", async (method) => {
    await using api = await startRawApi((socket) => socket.once("data", () => socket.destroy()));
    await failureOf(send(caller, api.origin, { method, body: "{}" }, { retries: 5 }));
    expect(api.connections()).toBe(1);
  });

  it("a POST for which no connection was made is repeated, because nothing was sent", async () => {
    let lookups = 0;
    await using api = await startApi();
    const lookup = () => {
      lookups += 1;
      if (lookups > 1) return Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
      return Promise.reject(Object.assign(new Error("no answer"), { code: "EAI_AGAIN" }));
    };
    const other = createHttpCaller({ network: { allow: ["localhost"] }, lookup, onDiagnostic: () => {} });
    const response = await send(
      other,
      `http://api.example:${api.port}`,
      { method: "POST", body: "{}" },
      { retries: 1 },
    );
    expect(response).toMatchObject({ status: 200, attempts: 2 });
    expect(api.seen).toHaveLength(1);
    await other.close();
  });

  it.each(["PUT", "DELETE"] as const)("a %s is repeated only if its author says so", async (method) => {
    let calls = 0;
    await using api = await startApi((response) =>
      answerJson(response.setHeader("retry-after", "0"), {}, (calls += 1) === 1 ? 503 : 200),
    );
    expect(await send(caller, api.origin, { method }, { retries: 0 })).toMatchObject({ status: 503, attempts: 1 });
    calls = 0;
    expect(await send(caller, api.origin, { method }, { retries: 1 })).toMatchObject({ status: 200, attempts: 2 });
  });
});

describe("cancellation-reaches-the-api", () => {
  it("a call that is cancelled before its response closes the connection", async () => {
    let closed = 0;
    await using api = await startApi((response) => response.on("close", () => (closed += 1)));
    const abort = new AbortController();
    const call = failureOf(send(caller, api.origin, {}, { signal: abort.signal }));
    await expect.poll(() => api.seen.length).toBe(1);
    abort.abort();
    expect(await call).toBe("Error: The call was cancelled");
    await expect.poll(() => closed).toBe(1);
  });

  it("a call that is cancelled in the middle of its response closes the connection", async () => {
    let closed = 0;
    await using api = await startApi((response) => {
      response.on("close", () => (closed += 1));
      response.writeHead(200).write("beginning");
    });
    const abort = new AbortController();
    const call = failureOf(send(caller, api.origin, {}, { signal: abort.signal }));
    await expect.poll(() => api.seen.length).toBe(1);
    abort.abort();
    expect(await call).toBe("Error: The call was cancelled");
    await expect.poll(() => closed).toBe(1);
  });

  it("a call that was cancelled already sends nothing", async () => {
    await using api = await startApi();
    expect(await failureOf(send(caller, api.origin, {}, { signal: AbortSignal.abort() }))).toBe(
      "Error: The call was cancelled",
    );
    expect(api.connections()).toBe(0);
  });

  it("a time limit closes the connection as well", async () => {
    let closed = 0;
    await using api = await startApi((response) => response.on("close", () => (closed += 1)));
    await failureOf(send(caller, api.origin, {}, { timeout: 50 }));
    await expect.poll(() => closed).toBe(1);
  });
});

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { eventually } from "../../../../../../test/eventually.ts";
import {
  createHttpHandler,
  createNodeHandler,
  serveHttp,
  type HttpListener,
  type ServeHttpOptions,
} from "../../../../src/http.ts";
import { tool } from "../../../../src/index.ts";
import {
  type Extra,
  BOTH,
  deferred,
  Events,
  initialize,
  LegacyClient,
  MODERN,
  modern,
  post,
  readJson,
} from "../client.ts";
import { createFixture, type Fixture } from "../fixture-server.ts";
import type { Target } from "../platforms.ts";
import { RawConnection, send } from "./raw-client.ts";

const running: HttpListener[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((http) => http.close()));
});

async function serve(options: ServeHttpOptions = {}, fixture: Fixture = createFixture()): Promise<Fixture & Target> {
  const http = await serveHttp(fixture.server, { port: 0, closeTimeout: 1000, ...options });
  running.push(http);
  return {
    ...fixture,
    ...http,
    send: ({ path, ...init }) => fetch(path === undefined ? http.url : new URL(path, http.url), init),
  };
}

/** The answer of the server to others meanwhile. */
async function ask(target: Target): Promise<unknown> {
  const answer = await readJson(await target.send(modern("tools/call", { name: "echo", arguments: { text: "here" } })));
  return answer.result?.["content"];
}

const HERE = [{ type: "text", text: "here" }];

const HEAD = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

/** The text of a request, as it goes over the wire. */
function wire(body: string, headers: Record<string, string> = {}): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${HEAD}${fields.join("")}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The text of a request of 2026-07-28, as it goes over the wire. */
function wireModern(method: string, params?: Record<string, unknown>, extra?: Extra): string {
  const { headers, body } = modern(method, params, extra);
  const { "content-type": _type, ...others } = Object.fromEntries(headers as [string, string][]);
  return wire(body, others);
}

/** Collects garbage and tells what is left. */
function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let turn = 0; turn < 3; turn += 1) collect();
  return process.memoryUsage().heapUsed;
}

describe("requests that are sent ahead of an answer", () => {
  test("do not ask the authentication hook about one connection more often at once than allowed", async () => {
    const known = deferred();
    const asked = deferred();
    let count = 0;
    const target = await serve({
      maxInFlightPerClient: 2,
      async authenticate() {
        count += 1;
        if (count === 2) asked.resolve();
        await known.promise;
        return { id: "ada" };
      },
    });
    const connection = await RawConnection.open(target.url);
    const put = "PUT /mcp HTTP/1.1\r\nHost: localhost\r\n";
    connection.write(`${`${put}\r\n`.repeat(4)}${put}Connection: close\r\n\r\n`);
    await asked.promise;
    // The rest of what came with them is looked at before this.
    await new Promise(setImmediate);
    known.resolve();
    await connection.closed;
    expect(connection.text.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(["405", "405", "429", "429", "429"]);
    expect(count).toBe(2);
  });
});

describe("hostile bodies", () => {
  test("a body that breaks off is not served, and does no harm", async () => {
    const target = await serve();
    for (const part of ["", "{", '{"jsonrpc":"2.0","id":1,"method":"tools/call"']) {
      const connection = await RawConnection.open(target.url);
      connection.write(`${HEAD}Content-Length: 100\r\n\r\n${part}`);
      connection.socket.destroySoon();
      await connection.closed;
    }
    expect(await ask(target)).toEqual(HERE);
  });

  test("a body that is declared too large is refused at once, and the connection is kept where it can be", async () => {
    const target = await serve({ maxBodyBytes: 1000 });
    const connection = await RawConnection.open(target.url);
    connection.write(wire("x".repeat(1500)));
    await connection.until("413");
    connection.write(wire(JSON.stringify({ jsonrpc: "2.0", id: "next", method: "ping" })));
    await connection.until('"id":"next"');
    expect(connection.text).toContain('"result":{}');
    connection.socket.destroy();
  });

  test("a body that never ends is cut off", async () => {
    const target = await serve({ maxBodyBytes: 1000 });
    const connection = await RawConnection.open(target.url);
    connection.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `3e8\r\n${"x".repeat(1000)}\r\n`;
    connection.socket.on("drain", () => connection.write(chunk));
    const feeding = setInterval(() => connection.write(chunk), 1);
    await connection.closed;
    clearInterval(feeding);
    expect(connection.text).toContain("413");
    expect(await ask(target)).toEqual(HERE);
  });

  test("a body that comes byte by byte takes no more memory than another", async () => {
    const size = 100_000;
    const arrived = deferred();
    let length = 0;
    const target = await serve({
      authenticate({ raw }) {
        (raw as IncomingMessage).on("data", (chunk: Buffer) => {
          length += chunk.length;
          if (length === size) arrived.resolve();
        });
        return { id: "ada" };
      },
    });
    const connection = await RawConnection.open(target.url);
    const body = JSON.stringify({ jsonrpc: "2.0", id: "bytes", method: "ping" }).padEnd(size);
    const before = heapUsed();
    connection.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    connection.write(Array.from(body, (byte) => `1\r\n${byte}\r\n`).join(""));
    await arrived.promise;
    expect(heapUsed() - before).toBeLessThan(size * 50);
    connection.write("0\r\n\r\n");
    await connection.until('"id":"bytes"');
    expect(connection.text).toContain('"result":{}');
    connection.socket.destroy();
  });

  test("a body that comes too slowly is given up", async () => {
    const target = await serve({ requestTimeout: 100 });
    const connection = await RawConnection.open(target.url);
    connection.write(`${HEAD}Content-Length: 100\r\n\r\n{`);
    await connection.closed;
    expect(connection.text).toContain("408");
    expect(await ask(target)).toEqual(HERE);
  });

  test("a head that never ends is given up as well", async () => {
    const target = await serve({ headersTimeout: 100 });
    const connection = await RawConnection.open(target.url);
    connection.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow:");
    await connection.closed;
    expect(await ask(target)).toEqual(HERE);
  });

  test.each([
    ["[", 500_000],
    ['{"a":', 200_000],
  ])("nesting of %s, half a million levels deep", async (opening, depth) => {
    const target = await serve();
    const closing = opening === "[" ? "]" : "}";
    const nested = `${opening.repeat(depth)}0${closing.repeat(depth)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":${nested}}}}`;
    const response = await target.send(post(body));
    expect([200, 400]).toContain(response.status);
    expect(await readJson(response)).toMatchObject({ jsonrpc: "2.0" });
    expect(JSON.stringify(await readJson(await target.send(post(nested))))).toContain("-32600");
    expect(await ask(target)).toEqual(HERE);
  });

  test.each([
    '{"__proto__":{"method":"tools/list","id":1,"jsonrpc":"2.0"}}',
    '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
    '{"jsonrpc":"2.0","id":1,"method":"constructor","params":{"__proto__":{"_meta":{}}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{"__proto__":{"polluted":true}}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x","__proto__":{"polluted":true}}}}',
    '{"jsonrpc":"2.0","id":"__proto__","method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"name":"echo"}}}',
  ])("keys and names that mean something to JavaScript: %s", async (body) => {
    const target = await serve();
    const response = await target.send(post(body));
    expect([200, 400]).toContain(response.status);
    expect(await readJson(response)).toMatchObject({ jsonrpc: "2.0" });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(await ask(target)).toEqual(HERE);
  });

  test.each([
    "",
    "null",
    "5",
    '"text"',
    "{}",
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":5}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    '{"jsonrpc":"2.0","id":1,"result":5}',
    '{"jsonrpc":"2.0","id":1,"error":{}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
    "\uFEFF",
  ])("a body that is no message gets a 400: %j", async (body) => {
    const target = await serve();
    const response = await target.send(post(body));
    expect(response.status).toBe(400);
    expect((await readJson(response)).error?.code).toBeLessThan(0);
  });
});

describe("targets in absolute form (RFC 9112, 3.2.2)", () => {
  const absolute = (target: string): string => wireModern("tools/list").replace("POST /mcp", `POST ${target}`);

  test.each([
    ["http://localhost/mcp", 200],
    ["HTTP://localhost:3000/mcp?x", 200],
    ["http://localhost/other", 404],
    ["http://localhost", 404],
    // The target counts, whatever the Host header says.
    ["http://evil.example.com/mcp", 403],
    ["http://localhost@evil.example.com/mcp", 403],
  ])("%s gets a %i", async (target, status) => {
    const { url } = await serve();
    const connection = await RawConnection.open(url);
    connection.write(absolute(target));
    await connection.until("\r\n\r\n");
    expect(connection.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    connection.socket.destroy();
  });
});

describe("hostile headers", () => {
  test.each([
    ["/mcp", "localhost", "evil.example.com"],
    ["/mcp", "evil.example.com", "localhost"],
    ["/mcp", "localhost", "localhost"],
    ["http://localhost/mcp", "localhost", "evil.example.com"],
  ])("%s with the Host headers %s and %s gets a 400", async (path, first, second) => {
    const target = await serve({ allowedHosts: ["*"] });
    const connection = await RawConnection.open(target.url);
    const head = `POST ${path} HTTP/1.1\r\nHost: ${first}\r\nhOST: ${second}\r\nContent-Type: application/json\r\n`;
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    connection.write(`${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await connection.closed;
    expect(connection.text).toMatch(/^HTTP\/1\.1 400 /);
    expect(connection.text).toContain("one `Host` header");
  });

  test("a head that is too large gets a 431", async () => {
    const target = await serve();
    const connection = await RawConnection.open(target.url);
    connection.write(`${HEAD}X-Large: ${"x".repeat(100_000)}\r\n\r\n`);
    await connection.closed;
    expect(connection.text).toContain("431");
    expect(await ask(target)).toEqual(HERE);
  });

  test("bytes that are not HTTP get a 400", async () => {
    const target = await serve();
    const connection = await RawConnection.open(target.url);
    connection.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\r\n\r\n');
    await connection.closed;
    expect(connection.text).toContain("400");
    expect(await ask(target)).toEqual(HERE);
  });

  test("headers that are sent twice do not match the body", async () => {
    const target = await serve();
    const connection = await RawConnection.open(target.url);
    const { body } = modern("tools/call", { name: "echo" });
    const headers = { "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "echo" };
    connection.write(wire(body, headers).replace("\r\n", "\r\nMcp-Name: other\r\n"));
    await connection.until("-32020");
    expect(connection.text).toContain("400");
    connection.socket.destroy();
  });

  test("handlers that look up names such as constructor find no header", async () => {
    const fixture = createFixture();
    fixture.server.tools.add(
      "lookup",
      tool({
        description: "x",
        run: (_args, ctx) => String([ctx.header("constructor"), ctx.header("__proto__")]),
      }) as never,
    );
    const target = await serve({}, fixture);
    const answer = await readJson(await target.send(modern("tools/call", { name: "lookup" })));
    expect(answer.result?.["content"]).toEqual([{ type: "text", text: "," }]);
  });

  test("a session id is compared as a whole, and nothing else opens a session", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const guesses = [
      "",
      " ",
      "constructor",
      "__proto__",
      client.session.slice(0, -1),
      client.session.toUpperCase(),
      `${client.session},${client.session}`,
    ];
    for (const guess of guesses) {
      expect([guess, (await client.send(ping, { "mcp-session-id": guess })).status]).toEqual([guess, 404]);
    }
  });
});

describe("hostile connections", () => {
  test("hundreds that say nothing, or half of something, do not keep others from being served", async () => {
    const target = await serve();
    const silent = await Promise.all(Array.from({ length: 200 }, () => RawConnection.open(target.url)));
    for (const [index, connection] of silent.entries()) {
      if (index % 2 === 0) connection.write(`${HEAD}Content-Length: 10\r\n\r\n{`);
    }
    expect(await ask(target)).toEqual(HERE);
    for (const connection of silent) connection.socket.destroy();
    expect(await ask(target)).toEqual(HERE);
  });

  test("requests that come all at once on one connection are answered in order", async () => {
    const target = await serve();
    const connection = await RawConnection.open(target.url);
    const count = 500;
    let text = "";
    for (let id = 1; id <= count; id += 1) {
      const name = id % 2 === 0 ? "echo" : "later";
      text += wire(
        JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: { text: "x" } } }),
      );
    }
    connection.write(text);
    await connection.until(`"id":${count},`);
    const ids = [...connection.text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    connection.socket.destroy();
  });

  test("a connection that asks more at once than one client may leaves room for others", async () => {
    let seen = 0;
    const target = await serve({
      maxInFlight: 20,
      maxInFlightPerClient: 10,
      authenticate({ header }) {
        seen += 1;
        return { id: header("user-agent") ?? "nameless" };
      },
    });
    const connection = await RawConnection.open(target.url);
    for (let id = 1; id <= 30; id += 1) {
      const params = { name: "wait", arguments: { name: `${id}` } };
      connection.write(wireModern("tools/call", params, { id }));
    }
    await target.began("1");
    expect(await ask(target)).toEqual(HERE);
    await eventually(() => expect(seen).toBe(31));
    target.release();
    await connection.until('"id":30,');
    const statuses = [...connection.text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect(statuses).toEqual([...Array<string>(10).fill("200"), ...Array<string>(20).fill("429")]);
    connection.socket.destroy();
  });

  test("work is cancelled with its connection, and what waits behind it never begins", async () => {
    const target = await serve();
    const connection = await RawConnection.open(target.url);
    for (const name of ["first", "second"]) {
      const { body } = modern("tools/call", { name: "wait", arguments: { name } }, { id: name });
      connection.write(
        wire(body, {
          "MCP-Protocol-Version": MODERN,
          "Mcp-Method": "tools/call",
          "Mcp-Name": "wait",
          Accept: BOTH,
        }),
      );
    }
    await target.began("first");
    connection.socket.destroy();
    await target.wasCancelled;
    target.release();
    expect(await ask(target)).toEqual(HERE);
    expect(target.cancelled).toEqual(["first"]);
    expect(target.finished).toEqual(["first"]);
  });

  test("a client that does not read its stream is dropped, and its request cancelled", async () => {
    const cancelled = deferred();
    const fixture = createFixture();
    const flood = tool({
      description: "Never waits",
      async run(_args, ctx) {
        ctx.signal.addEventListener("abort", () => cancelled.resolve());
        const params = { level: "info", data: "x".repeat(10_000) };
        while (!ctx.signal.aborted) {
          for (let n = 0; n < 100; n += 1) void ctx.notify({ method: "notifications/message", params });
          await new Promise(setImmediate);
        }
        return "never";
      },
    });
    fixture.server.tools.add("flood", flood as never);
    const target = await serve({ maxQueuedBytes: 100_000 }, fixture);
    const connection = await RawConnection.open(target.url);
    connection.socket.pause();
    const { body } = modern("tools/call", { name: "flood" });
    connection.write(
      wire(body, {
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": "tools/call",
        "Mcp-Name": "flood",
        Accept: BOTH,
      }),
    );
    await cancelled.promise;
    connection.socket.destroy();
    expect(await ask(target)).toEqual(HERE);
  });

  test("a session whose client does not read loses its connection, not its answer", async () => {
    const fixture = createFixture();
    const full = deferred();
    const flood = tool({
      description: "Never waits",
      input: z.object({}),
      async run(_args, ctx) {
        const params = { level: "info", data: "x".repeat(10_000) };
        for (let n = 0; n < 1000; n += 1) {
          void ctx.notify({ method: "notifications/message", params });
          if (n % 100 === 0) await new Promise(setImmediate);
        }
        full.resolve();
        return "the answer";
      },
    });
    fixture.server.tools.add("flood", flood as never);
    const target = await serve({ maxQueuedBytes: 100_000 }, fixture);
    const client = await LegacyClient.open(target);
    const connection = await RawConnection.open(target.url);
    connection.socket.pause();
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: "f",
      method: "tools/call",
      params: { name: "flood", arguments: {} },
    });
    connection.write(
      wire(body, { "Mcp-Session-Id": client.session, "MCP-Protocol-Version": "2025-11-25", Accept: BOTH }),
    );
    await full.promise;
    connection.socket.destroy();
    const messages = await new Events(await client.get("p1-0")).rest();
    expect(messages.at(-1)).toMatchObject({ id: "f", result: { content: [{ text: "the answer" }] } });
    // The memory that is kept is bounded, however much was sent.
    expect(messages.length).toBeLessThan(100);
  });
});

describe("floods", () => {
  test("thousands of notifications, known and unknown, in and out of sessions", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const methods = [
      "notifications/initialized",
      "notifications/x",
      "notifications/progress",
      "notifications/cancelled",
      "__proto__",
    ];
    for (let round = 0; round < 10; round += 1) {
      const statuses = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const message = {
            jsonrpc: "2.0",
            method: methods[index % methods.length],
            params: { progressToken: index, requestId: index },
          };
          const response = await (index % 2 === 0 ? client.send(message) : target.send(post(message)));
          return response.status;
        }),
      );
      expect(new Set(statuses)).toEqual(new Set([202]));
    }
    expect(await ask(target)).toEqual(HERE);
  });

  test("a storm of requests and cancellations leaves nothing behind", async () => {
    const target = await serve();
    const client = await LegacyClient.open(target);
    const ids = Array.from({ length: 200 }, (_, id) => id);
    const answers = ids.map((id) => client.call("wait", { name: `w${id}` }, id));
    await Promise.all(ids.map((id) => target.began(`w${id}`)));
    await Promise.all(
      [...ids, ...ids].map((requestId) =>
        client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }),
      ),
    );
    for (const answer of answers) expect(await new Events(await answer).rest()).toEqual([]);
    expect(target.cancelled).toHaveLength(200);
    target.release();
    // Every id can be used again.
    expect((await client.call("echo", {}, 7)).status).toBe(200);
  });

  test("clients that leave in droves are all noticed", async () => {
    const target = await serve();
    const leaving = new AbortController();
    const names = Array.from({ length: 200 }, (_, id) => `w${id}`);
    const answers = names.map((name) =>
      target.send(modern("tools/call", { name: "wait", arguments: { name } }, { signal: leaving.signal })),
    );
    await Promise.all(names.map((name) => target.began(name)));
    leaving.abort();
    expect((await Promise.allSettled(answers)).every(({ status }) => status === "rejected")).toBe(true);
    for (let turn = 0; turn < 100_000 && target.cancelled.length < names.length; turn += 1) {
      await new Promise(setImmediate);
    }
    expect(target.cancelled.toSorted()).toEqual(names.toSorted());
  });
});

describe("memory", () => {
  const open = async (fetchIt: (request: Request) => Promise<Response>): Promise<string> => {
    const response = await fetchIt(new Request("http://localhost/", post(initialize(), { accept: BOTH })));
    await response.arrayBuffer();
    return response.headers.get("mcp-session-id") ?? "";
  };

  test("thousands of sessions take at most 4 KiB each, and nothing once they have ended", async () => {
    const handler = createHttpHandler(createFixture().server, { legacy: { sessions: { max: 6000 } } });
    const end = (id: string): Promise<Response> =>
      handler.fetch(new Request("http://localhost/", { method: "DELETE", headers: { "mcp-session-id": id } }));
    // Code that is compiled and cached on the way is not counted.
    for (let n = 0; n < 1000; n += 1) await end(await open(handler.fetch));
    const before = heapUsed();
    const ids: string[] = [];
    for (let n = 0; n < 5000; n += 1) ids.push(await open(handler.fetch));
    const during = heapUsed();
    expect((during - before) / ids.length).toBeLessThan(4096);
    for (const id of ids) expect((await end(id)).status).toBe(200);
    ids.length = 0;
    expect(heapUsed() - before).toBeLessThan(0.2 * (during - before) + 500_000);
    await handler.close();
  });

  test("sessions whose clients say as much about themselves as they may take at most 12 KiB each", async () => {
    const handler = createHttpHandler(createFixture().server);
    const many = Array.from({ length: 6000 }, (_, index) => [`a${index}`, {}] as const);
    const capabilities = {
      ...Object.fromEntries(many.slice(0, 3000)),
      experimental: Object.fromEntries(many.slice(3000)),
    };
    const body = JSON.stringify(initialize("2025-11-25", capabilities));
    expect(body.length).toBeGreaterThan(60_000);
    const handshake = { method: "POST", headers: { "content-type": "application/json", accept: BOTH }, body };
    const say = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        const response = await handler.fetch(new Request("http://localhost/", handshake));
        expect(response.headers.has("mcp-session-id")).toBe(true);
        await response.text();
      }
    };
    await say(20);
    const before = heapUsed();
    await say(100);
    expect((heapUsed() - before) / 100).toBeLessThan(12 * 1024);
    await handler.close();
  });

  test("sessions beyond the cap are refused; those that are there go on", async () => {
    const handler = createHttpHandler(createFixture().server, { legacy: { sessions: { max: 1000 } } });
    let opened = 0;
    for (let n = 0; n < 1500; n += 1) if ((await open(handler.fetch)) !== "") opened += 1;
    expect(opened).toBe(1000);
    await handler.close();
  });

  test("a stream of the HTTP+SSE pair keeps nothing of what was posted to it before", async () => {
    const handler = createNodeHandler(createFixture().server, { legacy: { sse: true } });
    const bodies: WeakRef<object>[] = [];
    // As behind a framework that parses bodies.
    const http = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (request.method !== "POST") return handler(request, response);
        const body = JSON.parse(Buffer.concat(chunks).toString()) as object;
        bodies.push(new WeakRef(body));
        handler(request, response, body);
      });
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const { port } = http.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const events = new Events(await fetch(`${url}/sse`, { headers: { accept: "text/event-stream" } }));
    const path = (await events.next())?.data ?? "";
    const big = { jsonrpc: "2.0", method: "notifications/x", params: { text: "x".repeat(100_000) } };
    for (let n = 0; n < 3; n += 1) expect((await fetch(url + path, post(big))).status).toBe(202);
    // Another connection takes the place of the last request in what Node keeps for itself.
    expect((await fetch(`${url}/other`)).status).toBe(405);
    await new Promise(setImmediate);
    heapUsed();
    expect(bodies.map((body) => body.deref()?.constructor)).toEqual([undefined, undefined, undefined]);
    await events.cancel();
    await handler.close();
    http.close();
    http.closeAllConnections();
  });

  test("requests over HTTP leave nothing behind", async () => {
    const target = await serve();
    const work = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        await (
          await target.send(modern("tools/call", { name: "later", arguments: { text: "x".repeat(1000) } }))
        ).text();
        await (await target.send(modern("tools/call", { name: "chat", arguments: { count: 3 } }))).text();
        expect((await send(target.url, { headers: { host: "evil.com" }, body: "x" })).status).toBe(403);
      }
    };
    await work(100);
    const before = heapUsed();
    await work(200);
    expect(heapUsed() - before).toBeLessThan(2_000_000);
  });
});

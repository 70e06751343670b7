import { TransportError } from "@toolwire/protocol";
import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { tool } from "../../../../src/index.ts";
import { serveHttp, type HttpListener, type ServeHttpOptions } from "../../../../src/http.ts";
import type { ServerDiagnostic } from "../../../../src/binding.ts";
import { BOTH, Events, LegacyClient, modern, post, readJson } from "../client.ts";
import { createFixture, type Fixture } from "../fixture-server.ts";
import { defer } from "../../../wire-client.ts";
import { RawConnection, send } from "./raw-client.ts";

const running: HttpListener[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((http) => http.close()));
});

async function serve(
  options: ServeHttpOptions = {},
  fixture: Fixture = createFixture(),
): Promise<Fixture & HttpListener> {
  const http = await serveHttp(fixture.server, { port: 0, ...options });
  running.push(http);
  return { ...fixture, ...http };
}

function list(more: Record<string, string> = {}): { headers: Record<string, string>; body: string } {
  const { headers, body } = modern("tools/list");
  return { headers: { ...Object.fromEntries(headers as [string, string][]), ...more }, body };
}

/** A call of a tool, as it goes over the wire. */
function callOf(name: string): string {
  const { headers, body } = modern("tools/call", { name });
  const fields = [...(headers as [string, string][]), ["host", "localhost"], ["content-length", `${body.length}`]];
  return `POST /mcp HTTP/1.1\r\n${fields.map((field) => `${field.join(": ")}\r\n`).join("")}\r\n${body}`;
}

describe("serveHttp", () => {
  test.each(["/custom", "/custom/", "/"])("a path %j is found with and without a slash behind it", async (path) => {
    const { url } = await serve({ path });
    const paths = path === "/" ? ["/", ""] : ["/custom", "/custom/"];
    for (const each of [...paths, path]) {
      const response = await fetch(new URL(each, url), modern("tools/list"));
      expect(response.status).toBe(200);
      await response.text();
    }
    expect((await fetch(new URL("/other", url), modern("tools/list"))).status).toBe(404);
  });

  test("says where it listens", async () => {
    const { url, port } = await serve({ path: "/custom" });
    expect(url).toBe(`http://127.0.0.1:${port}/custom`);
    expect((await fetch(url, modern("tools/list"))).status).toBe(200);
  });

  test("servers SHOULD bind only to localhost: from the network it cannot be reached", async () => {
    const { port } = await serve();
    const external = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === "IPv4" && !address.internal);
    // A machine without a network has no other address to try.
    const address = external?.address ?? "127.0.0.2";
    await expect(send(`http://${address}:${port}/mcp`, list())).rejects.toThrow(
      /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/,
    );
  });

  test.each([
    ["localhost", 200],
    ["127.0.0.1", 200],
    ["[::1]", 200],
    ["LOCALHOST:1", 200],
    ["evil.example.com", 403],
    ["127.0.0.1.evil.com", 403],
    ["localhost.evil.com:80", 403],
  ])("Host: %s gets a %i", async (host, status) => {
    const { url } = await serve();
    expect((await send(url, list({ host }))).status).toBe(status);
  });

  test("a Host that was refused once is refused again after one that was allowed", async () => {
    const { url } = await serve();
    const statuses: number[] = [];
    for (const host of ["evil.com", "localhost", "evil.com", "localhost"]) {
      statuses.push((await send(url, list({ host }))).status);
    }
    expect(statuses).toEqual([403, 200, 403, 200]);
  });

  test.each([
    [undefined, "timeout=95"],
    [3_605_000, "timeout=3605"],
    [Infinity, "timeout=2147482"],
  ])("connections outlast those of load balancers and other clients: %j", async (keepAliveTimeout, told) => {
    const { url } = await serve({ keepAliveTimeout });
    const { status, headers } = await send(url, { method: "GET", headers: { connection: "keep-alive" } });
    expect([status, headers["keep-alive"]]).toEqual([405, told]);
  });

  test("a port that is taken is an error that says so", async () => {
    const { port } = await serve();
    const error: unknown = await serveHttp(createFixture().server, { port }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransportError);
    expect((error as TransportError).message).toContain(`127.0.0.1:${port}`);
  });

  test("an address that others can reach is worth a warning, unless hosts and authentication were thought of", async () => {
    const diagnostics: ServerDiagnostic[] = [];
    const fixture = createFixture({ onDiagnostic: (event) => void diagnostics.push(event) });
    const { port } = await serve({ host: "0.0.0.0" }, fixture);
    expect(diagnostics.map(({ level, message }) => [level, /allowedHosts|authenticate/.exec(message)?.[0]])).toEqual([
      ["warning", "allowedHosts"],
      ["warning", "authenticate"],
    ]);
    expect((await send(`http://127.0.0.1:${port}/mcp`, list({ host: "other.example.com" }))).status).toBe(403);
    diagnostics.length = 0;
    await serve(
      { host: "0.0.0.0", allowedHosts: ["mcp.example.com"], authenticate: () => ({ id: "anonymous" }) },
      fixture,
    );
    expect(diagnostics).toEqual([]);
  });

  test("a body that would be too large is refused before it is sent, if the client asks first", async () => {
    const { url } = await serve({ maxBodyBytes: 1000 });
    const connection = await RawConnection.open(url);
    const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n";
    connection.write(`${head}Content-Length: 1001\r\n\r\n`);
    await connection.until("413");
    expect(connection.text).not.toContain("100 Continue");
    connection.socket.destroy();
  });
});

describe("close()", () => {
  test("lets what is in the works finish, and takes nothing new", async () => {
    const target = await serve();
    const answer = fetch(target.url, modern("tools/call", { name: "wait" }));
    await target.began("wait");
    const closing = target.close();
    await expect(send(target.url, list())).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
    target.release();
    expect((await readJson(await answer)).result?.["content"]).toEqual([{ type: "text", text: "waited as wait" }]);
    await closing;
  });

  test("tells those who are still being looked at that the server goes away", async () => {
    const arrived = defer();
    const decided = defer();
    const target = await serve({
      authenticate: async () => {
        arrived.resolve();
        await decided.promise;
        return { id: "anna" };
      },
    });
    const answer = send(target.url, list());
    await arrived.promise;
    const closing = target.close();
    decided.resolve();
    expect((await answer).status).toBe(503);
    await closing;
  });

  test("ends what does not finish in time", async () => {
    const target = await serve({ closeTimeout: 20 });
    const answer = fetch(target.url, modern("tools/call", { name: "wait" }));
    await target.began("wait");
    await target.close();
    expect((await answer).status).toBe(503);
    await target.wasCancelled;
  });

  test("ends streams that do not finish in time, without an answer", async () => {
    const target = await serve({ closeTimeout: 20 });
    const events = new Events(
      await fetch(target.url, modern("tools/call", { name: "wait", arguments: { chatty: true } })),
    );
    await target.began("wait");
    await target.close();
    expect((await events.rest()).filter(({ id }) => id !== undefined)).toEqual([]);
  });

  test("ends sessions and their streams", async () => {
    const target = await serve();
    const client = await LegacyClient.open({ ...target, send: (init) => fetch(target.url, init) });
    const events = new Events(await client.get());
    await target.close();
    expect(await events.rest()).toEqual([]);
  });

  test("does not end the subscriptions of other bindings of the same server", async () => {
    const fixture = createFixture();
    const [one, two] = [await serve({}, fixture), await serve({}, fixture)];
    const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const events = new Events(await fetch(two!.url, listen));
    await events.message();
    await one!.close();
    fixture.server.tools.remove("who");
    expect((await events.message())?.method).toBe("notifications/tools/list_changed");
    await events.cancel();
  });

  test("does not wait for clients that never send anything, or never read", async () => {
    const target = await serve({ closeTimeout: 50 });
    const silent = await RawConnection.open(target.url);
    const half = await RawConnection.open(target.url);
    half.write(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    await target.close();
    await Promise.all([silent.closed, half.closed]);
    expect([silent.text, half.text]).toEqual(["", ""]);
  });

  test("does not cut off an answer that its client is still reading", async () => {
    const length = 30_000_000;
    const target = await serve({ closeTimeout: 600_000 });
    target.server.tools.add("big", tool({ run: () => "x".repeat(length) }));
    const socket = connect(target.port, "127.0.0.1");
    socket.write(callOf("big"));
    // The part that does not fit into the buffers waits until the rest is read.
    await once(socket, "readable");
    const closing = target.close();
    let received = 0;
    for await (const chunk of socket) received += (chunk as Buffer).length;
    expect(received).toBeGreaterThan(length);
    await closing;
  });

  test("does not wait twice: once for work that never ends, and once more for a client that never reads", async () => {
    const target = await serve({ closeTimeout: 60_000 });
    target.server.tools.add("big", tool({ run: () => "x".repeat(30_000_000) }));
    const socket = connect(target.port, "127.0.0.1");
    socket.on("error", () => {}).write(callOf("big"));
    await once(socket, "readable");
    const other = fetch(target.url, modern("tools/call", { name: "wait" }));
    await target.began("wait");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const closing = target.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await other).status).toBe(503);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    socket.destroy();
  });

  test("may be called twice", async () => {
    const target = await serve();
    await Promise.all([target.close(), target.close()]);
    await expect(target.close()).resolves.toBeUndefined();
  });

  test("a client that keeps its connection is told that the server goes away", async () => {
    const target = await serve();
    const connection = await RawConnection.open(target.url);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    connection.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: ${BOTH}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await connection.until('"id":1');
    await target.close();
    await connection.closed;
    await expect(fetch(target.url, post({}))).rejects.toThrow("fetch failed");
  });
});

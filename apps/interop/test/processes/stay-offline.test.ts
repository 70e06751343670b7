import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runGroup } from "@toolwire/evidence";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const PRELOAD = pathToFileURL(join(import.meta.dirname, "../../src/processes/stay-offline.ts")).href;

const server = createServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

/** Runs a program as fetched ones run, and returns what it printed. */
async function run(program: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const { stdout, stderr } = await runGroup(
    [process.execPath, "--import", "tsx", "--import", PRELOAD, "--input-type=module", "-e", program],
    { env: { ...process.env, PORT: String(port) }, milliseconds: 20_000 },
  );
  return stdout + stderr;
}

// Addresses that nobody has: for documentation (RFC 5737, RFC 3849), and a name that never resolves (RFC 6761).
describe.each(["192.0.2.1", "[2001:db8::1]", "no-such-host.invalid"])("a program that looks for %s", (host) => {
  test("is refused at once by fetch, http, tls and sockets", async () => {
    const printed = await run(`
      import http from "node:http"; import net from "node:net"; import tls from "node:tls";
      const host = ${JSON.stringify(host.replace(/[[\]]/g, ""))};
      const show = (name) => (error) => console.log(name, error.code ?? error.cause?.code);
      await fetch("http://${host}/").catch(show("fetch"));
      for (const [name, connect] of [
        ["http", () => http.get({ host })],
        ["tls", () => tls.connect({ host, port: 443 })],
        ["net", () => net.connect(80, host)],
        ["socket", () => new net.Socket().connect({ host, port: 80 })],
      ]) await new Promise((resolve) => connect().once("error", (error) => { show(name)(error); resolve(); }));
    `);

    expect(printed.trim().split("\n")).toEqual(
      ["fetch", "http", "tls", "net", "socket"].map((name) => `${name} ENETUNREACH`),
    );
  });
});

test("a program that asks for the address of a name is refused, unless it is this machine", async () => {
  const printed = await run(`
    import dns, { lookup } from "node:dns"; import { lookup as lookupAsync } from "node:dns/promises";
    const name = "no-such-host.invalid";
    await new Promise((resolve) => lookup(name, (error) => { console.log(error.code); resolve(); }));
    await new Promise((resolve) => dns.lookup(name, {}, (error) => { console.log(error.code); resolve(); }));
    await lookupAsync(name).catch((error) => console.log(error.code));
    console.log((await lookupAsync("localhost", 4)).address);
  `);

  expect(printed.trim().split("\n")).toEqual(["ENETUNREACH", "ENETUNREACH", "ENETUNREACH", "127.0.0.1"]);
});

test("a program reaches this machine in every way", async () => {
  const printed = await run(`
    import http from "node:http"; import net from "node:net";
    const port = Number(process.env.PORT);
    console.log(await (await fetch("http://127.0.0.1:" + port)).text());
    console.log((await new Promise((resolve) => http.get({ host: "localhost", port, family: 4 }, resolve))).statusCode);
    const socket = net.connect(port);
    await new Promise((resolve, reject) => socket.once("data", resolve).once("error", reject));
    console.log("connected");
  `);

  expect(printed.trim().split("\n")).toEqual(["ok", "200", "connected"]);
});

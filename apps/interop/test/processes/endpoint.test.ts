import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { findLeftovers, readRecordings } from "@toolwire/evidence";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openEndpoint } from "../../src/processes/endpoint.ts";
import type { Launch } from "../../src/processes/launch.ts";
import { findFreePort } from "../../src/servers/program.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "endpoint-")) + sep;
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function launch(program: string, changes: Partial<Launch> = {}): Launch {
  const variables = { ...(process.env as { [name: string]: string }), MENTION: directory };
  return { command: [process.execPath, "-e", program], folder: directory, variables, ...changes };
}

const SERVE = `
  const server = require("node:http").createServer((request, response) => response.end("hello"));
  server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
    if (process.env.PORT === undefined) console.log("http://127.0.0.1:" + server.address().port + "/mcp");
  });
`;

test("a server that says where it listens is reached, and what passes is recorded and kept", async () => {
  const endpoint = await openEndpoint(launch(SERVE), "http", join(directory, "wire"));
  const answer = await (await fetch(endpoint.url!)).text();
  await endpoint.stop();
  await endpoint.end();

  expect(answer).toBe("hello");
  expect(new URL(endpoint.url!).pathname).toBe("/mcp");
  expect(endpoint.recordings().map(({ toServer }) => toServer.toString().split("\r\n")[0])).toEqual([
    "GET /mcp HTTP/1.1",
  ]);
  expect(readRecordings(join(directory, "wire"))).toEqual(endpoint.recordings());
  expect(await findLeftovers(directory)).toEqual([]);
});

test("a server that is told a port is reached as soon as somebody listens there", async () => {
  const port = await findFreePort();
  const { variables } = launch("");
  const told = launch(SERVE, { variables: { ...variables, PORT: String(port) }, url: `http://127.0.0.1:${port}/sse` });

  const endpoint = await openEndpoint(told, "sse", directory);
  const answer = await (await fetch(endpoint.url!)).text();
  await endpoint.stop();

  expect(answer).toBe("hello");
  expect(new URL(endpoint.url!).port).not.toBe(String(port));
});

test("a server that ends before it listens is reported with what it complained about", async () => {
  const broken = launch('console.error("no key"); process.exitCode = 3');

  await expect(openEndpoint(broken, "http", directory)).rejects.toThrow(/exited with code 3: no key$/);
});

test("a server that cannot be started is reported", async () => {
  const absent = launch("", { command: [join(directory, "no-such-program")] });

  await expect(openEndpoint(absent, "http", directory)).rejects.toThrow("could not be started (spawn");
});

test("over stdio, nothing is started yet: the command and its environment are for the client that connects", async () => {
  const endpoint = await openEndpoint(launch("0"), "stdio", join(directory, "wire"));

  expect(endpoint.command?.slice(-3)).toEqual([process.execPath, "-e", "0"]);
  expect(endpoint.variables).toMatchObject({ MENTION: directory });
  expect(endpoint.recordings()).toEqual([]);
});

import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defer } from "../deferred.ts";
import { startGateway } from "../gateway-process.ts";
import { simulateApi } from "../simulated-api.ts";

/** A configuration with one tool. */
function configFor(url: string, more = ""): string {
  return `version: 1
analytics: { store: memory }
network: { allow: [127.0.0.1] }
servers:
  s:
    tools:
      get: { description: d, request: { method: GET, url: "${url}" } }
${more}`;
}

async function call(url: string, slug = "s"): Promise<{ status: number; text?: string }> {
  const response = await fetch(`${url}/mcp/${slug}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get" } }),
  });
  const { result } = (await response.json()) as { result?: { content: [{ text: string }] } };
  return { status: response.status, ...(result && { text: result.content[0].text }) };
}

test("serve prints one line of JSON once it serves, and on SIGTERM lets calls in flight finish", async () => {
  const reached = defer();
  const answer = defer();
  await using api = await simulateApi(() => (_, response) => {
    reached.resolve();
    void answer.promise.then(() => response.end('"late"'));
  });
  await using gateway = await startGateway(configFor(`${api.url}/x`));
  const lines = gateway
    .output()
    .split("\n")
    .filter((line) => line.startsWith('{"listening"'));
  expect(lines).toHaveLength(1);
  expect(Object.keys(JSON.parse(lines[0] ?? "{}") as object)).toEqual(["listening", "admin"]);
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  expect((await fetch(gateway.adminUrl)).status).toBeLessThan(500);
  const waiting = call(gateway.url);
  await reached.promise;
  const ended = gateway.end("SIGTERM");
  answer.resolve();
  expect(await waiting).toEqual({ status: 200, text: '"late"' });
  expect(await ended).toBe(0);
});

test("serve says once what models' APIs refuse in its tools, and nothing of tools that all take", async () => {
  const refused = `      refused:
        description: d
        request: { method: GET, url: "https://api.example/x" }
        input: { type: object, properties: { "a[b]": { type: string } } }
`;
  await using gateway = await startGateway(configFor("https://api.example/x", refused));
  const line = await gateway.waitFor(/lint: .*/);
  expect(line).toContain("argument-name (anthropic)");
  expect(gateway.output().match(/lint: /g)).toHaveLength(1);
});

test("bad-configuration-changes-nothing: a changed file and SIGHUP reload, and a file with a mistake is reported", async () => {
  await using api = await simulateApi(({ target }) => ({ body: JSON.stringify(target) }));
  await using gateway = await startGateway(configFor(`${api.url}/1`));
  await writeFile(gateway.file, configFor(`${api.url}/2`));
  await gateway.waitFor(/The configuration was reloaded/);
  expect((await call(gateway.url)).text).toBe('"/2"');

  await writeFile(gateway.file, configFor(`${api.url}/3`, "    statsu: paused\n"));
  expect(await gateway.waitFor(/statsu/)).toMatch(/gateway\.yaml:8:5: error: .*did you mean "status"\?/);
  await gateway.waitFor(/goes on as it was/);
  expect((await call(gateway.url)).text).toBe('"/2"');
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);

  // Editors write another file, and put it in the place of the first.
  const replacement = join(gateway.folder, "new.yaml");
  await writeFile(replacement, configFor(`${api.url}/4`, "  more: { status: paused }\n"));
  await rename(replacement, gateway.file);
  await gateway.waitFor(/servers\.more/);
  await expect.poll(async () => (await call(gateway.url)).text).toBe('"/4"');
  expect((await call(gateway.url, "more")).status).toBe(503);

  if (process.platform !== "win32") {
    const reloads = gateway.output().split("was reloaded").length;
    gateway.child.kill("SIGHUP");
    await expect.poll(() => gateway.output().split("was reloaded").length).toBeGreaterThan(reloads);
  }
  expect(await gateway.end("SIGINT")).toBe(0);
});

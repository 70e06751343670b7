/** `serve --observe MODULE`: observers for telemetry, without a program of one's own. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startGateway } from "../gateway-process.ts";
import { simulateApi } from "../simulated-api.ts";
import { runVerb } from "./run-verb.ts";

async function writeModule(source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "observers-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "telemetry.mjs");
  await writeFile(file, source);
  return file;
}

test("the observers of a module see the calls of a gateway that is served by the command", async () => {
  await using api = await simulateApi(() => ({ body: '"fine"' }));
  const file = await writeModule(`export default {
    callers: { request({ method, tool }) { return { end: ({ kind }) => console.error("observed", method, tool, kind) }; } },
  };`);
  const config = `version: 1
analytics: { store: memory }
network: { allow: [127.0.0.1] }
servers:
  s:
    tools:
      get: { description: d, request: { method: GET, url: "${api.url}/x" } }
`;
  await using gateway = await startGateway(config, {}, {}, ["--observe", file]);
  await fetch(`${gateway.url}/mcp/s`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get" } }),
  });
  expect(await gateway.waitFor(/^observed/)).toBe("observed tools/call get result");
});

test("a module that cannot be loaded, or has no observers, ends the command with advice", async () => {
  const config = await writeModule("version: 1\nservers: {}\n");
  const missing = await runVerb(["serve", config, "--observe", "./missing.mjs"]);
  expect(missing.code).not.toBe(0);
  expect(missing.told).toMatch(/missing\.mjs of --observe cannot be loaded/);
  const empty = await runVerb(["serve", config, "--observe", await writeModule("export default 1;")]);
  expect(empty.told).toMatch(/gatewayTelemetry\(\)/);
});

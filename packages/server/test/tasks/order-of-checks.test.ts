import { afterAll, expect, it } from "vitest";
import { MetaKey } from "@toolwire/protocol";
import { serveHttp } from "../../src/http.ts";
import { modern, type Seen } from "../bindings/http/client.ts";
import { DECLARED, greeter, PLAIN, serveTasks } from "./task-server.ts";

const UNKNOWN = "task-00000000000000000000000000000000";
const http = await serveHttp(serveTasks({ greeter }), { port: 0 });
afterAll(() => http.close());

/** A request in which everything is wrong, but what was put right. */
interface Wrongs {
  readonly name?: string;
  readonly capabilities?: object;
  readonly version?: string;
  readonly method?: string;
  readonly taskId?: unknown;
}

async function send({ name, capabilities, version, method = "tasks/get", taskId = UNKNOWN }: Wrongs): Promise<string> {
  const meta = {
    [MetaKey.ClientCapabilities]: capabilities,
    ...(version !== undefined && { [MetaKey.ProtocolVersion]: version }),
  };
  const headers = { "mcp-name": name, ...(version !== undefined && { "mcp-protocol-version": version }) };
  const response = await fetch(http.url, modern(method, { taskId }, { meta, headers }));
  const { error } = (await response.json()) as Seen;
  return `${response.status} ${error?.code}`;
}

it.each<[string, Wrongs, string]>([
  ["the header Mcp-Name before the capability", { name: "other", capabilities: PLAIN }, "400 -32020"],
  ["a missing Mcp-Name", { capabilities: PLAIN }, "400 -32020"],
  ["the revision before the method", { version: "2099-01-01", method: "tasks/list", name: UNKNOWN }, "400 -32022"],
  ["the method before the capability", { method: "tasks/list", capabilities: PLAIN }, "404 -32601"],
  ["tasks/result, which 2026-07-28 does not have", { method: "tasks/result", capabilities: DECLARED }, "404 -32601"],
  ["the capability before the parameters", { taskId: 7, capabilities: PLAIN }, "400 -32021"],
  ["the capability before the task", { name: UNKNOWN, capabilities: PLAIN }, "400 -32021"],
  ["the task at last", { name: UNKNOWN, capabilities: DECLARED }, "200 -32602"],
])("A request about a task is refused for %s", async (_what, wrongs, expected) => {
  expect(await send(wrongs)).toBe(expected);
});

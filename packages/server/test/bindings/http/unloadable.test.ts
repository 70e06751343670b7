import { expect, test, vi } from "vitest";
import { createHttpHandler } from "../../../src/bindings/http/index.ts";
import { createServer, type Diagnostic } from "../../../src/index.ts";
import { initialize, post } from "./client.ts";

/** As when a deployment has left a file behind, or a process has no file descriptors left to open it with. */
vi.mock("../../../src/parts/http.ts", () => {
  throw new Error("no such file");
});

test.each([
  ["a refusal", { method: "PUT" }],
  ["the legacy half", post(initialize())],
])("the operator hears that %s cannot be loaded; the client gets a 500", async (_what, init) => {
  const diagnostics: Diagnostic[] = [];
  const server = createServer({ name: "s", version: "1", tools: {}, onDiagnostic: (event) => diagnostics.push(event) });
  const { status } = await createHttpHandler(server).fetch(new Request("http://localhost/mcp", init));
  expect(status).toBe(500);
  expect(diagnostics).toMatchObject([{ level: "error", error: expect.any(Error) }]);
});

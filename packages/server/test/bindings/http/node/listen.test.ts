import { createServer as createHttpServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { bindingOf } from "../../../../src/binding.ts";
import { createServer, type ServerDiagnostic } from "../../../../src/index.ts";
import { listen } from "../../../../src/bindings/http/node/listen.ts";

test("a connection that the system could not accept is reported, and ends nothing", async () => {
  const diagnostics: ServerDiagnostic[] = [];
  const server = createServer({ name: "s", version: "1", onDiagnostic: (event) => void diagnostics.push(event) });
  const http = createHttpServer();
  onTestFinished(() => void http.close());
  await listen(http, bindingOf(server), { port: 0, host: "127.0.0.1" });
  // As Node does when the process has no file descriptor left, which would harm the test itself.
  for (let times = 0; times < 2; times += 1) http.emit("error", new Error("accept EMFILE"));
  expect(diagnostics).toEqual([
    expect.objectContaining({ level: "error", message: expect.stringContaining("EMFILE") }),
    expect.objectContaining({ level: "error", message: expect.stringContaining("EMFILE") }),
  ]);
  expect(http.listening).toBe(true);
});

import { expect, test } from "vitest";
import { createServer, type Serving } from "../src/index.ts";

test("a session that is opened before the server is ready is refused, and the error says what to wait for", () => {
  const server: Serving = createServer({ name: "c", version: "1" });
  expect(() => server.openSession({})).toThrow("ready()");
});

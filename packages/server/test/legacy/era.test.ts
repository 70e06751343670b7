import type { ResponseMessage } from "@toolwire/protocol";
import { expect, test } from "vitest";
import { createServer, tool, type Origin, type Server } from "../../src/index.ts";

/** What a binding does that knows nothing of eras. The tests are in order: the first finds the legacy era unloaded. */
function serve(server: Server, method: string, params?: object): { answer: Promise<ResponseMessage>; cancel(): void } {
  const origin: Origin = { binding: "test", connection: {} };
  const { promise, resolve } = deferred<ResponseMessage>();
  const request = { jsonrpc: "2.0", id: 1, method, ...(params && { params }) } as const;
  const exchange = server.serve(request, { notify() {}, respond: resolve }, origin);
  return { answer: promise, cancel: () => exchange.cancel() };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const calls: string[] = [];
const server = createServer({
  name: "s",
  version: "1",
  tools: { note: tool({ input: { type: "object" }, run: ({ what }) => `${calls.push(String(what))}` }) },
});

test("the first legacy requests wait for their era; one that was cancelled meanwhile is never run", async () => {
  const cancelled = serve(server, "tools/call", { name: "note", arguments: { what: "cancelled" } });
  const other = serve(server, "tools/call", { name: "note", arguments: { what: "other" } });
  cancelled.cancel();
  await expect(other.answer).resolves.toMatchObject({ result: { content: [{ text: "1" }] } });
  expect(calls).toEqual(["other"]);
});

test("from then on, a legacy request that needs no waiting is answered at once", () => {
  let answer: ResponseMessage | undefined;
  const reply = {
    notify() {},
    respond(message: ResponseMessage) {
      answer = message;
    },
  };
  server.serve({ jsonrpc: "2.0", id: 2, method: "tools/list" }, reply, { binding: "test", connection: {} });
  expect(answer).toMatchObject({ id: 2 });
});

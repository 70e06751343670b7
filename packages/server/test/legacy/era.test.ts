import type { ResponseMessage } from "@toolwire/protocol";
import { expect, test } from "vitest";
import { bindingOf } from "../../src/binding.ts";
import { createServer, tool } from "../../src/index.ts";

test("a legacy request that needs no waiting is answered at once", () => {
  const server = createServer({ name: "s", version: "1", tools: { note: tool({ run: () => "noted" }) } });
  const answers: ResponseMessage[] = [];
  const reply = { notify() {}, respond: (message: ResponseMessage) => void answers.push(message) };
  const request = { jsonrpc: "2.0", id: 2, method: "tools/list" } as const;
  bindingOf(server).serve(request, reply, { binding: "test", connection: {} });
  expect(answers).toMatchObject([{ id: 2 }]);
});

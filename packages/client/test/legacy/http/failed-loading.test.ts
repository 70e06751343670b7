import { Caller } from "@toolwire/protocol/internal";
import { expect, it, onTestFinished, vi } from "vitest";
import { createHttpTransport } from "../../../src/transports/http/index.ts";
import { listen, sendJson } from "../../transports/http/listen.ts";

vi.mock(import("../../../src/legacy/http/session.ts"), () => {
  throw new Error("The network is down.");
});

it("`initialize` fails if the legacy part cannot be loaded", async () => {
  const { url, seen } = await listen(({ message }, response) =>
    sendJson(response, { jsonrpc: "2.0", id: message!.id, result: {} }),
  );
  const transport = createHttpTransport(url);
  void transport.open({});
  onTestFinished(() => transport.close());
  const caller = new Caller(transport, { timeout: 20_000 });
  await expect(caller.call("initialize", { protocolVersion: "2025-11-25" })).rejects.toMatchObject({
    cause: { message: "The network is down." },
  });
  expect(seen).toEqual([]);
});

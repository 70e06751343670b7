import { MetaKey } from "@toolwire/protocol";
import { Caller } from "@toolwire/protocol/internal";
import { expect, it, onTestFinished, vi } from "vitest";
import { createHttpTransport } from "../../../src/transports/http/index.ts";

vi.mock(import("../../../src/transports/http/errors.ts"), () => {
  throw new Error("The network is down.");
});

it("a request that fails does so, too, if what would explain it cannot be loaded", async () => {
  const cause = new TypeError("Failed to fetch");
  const transport = createHttpTransport("http://example.com/mcp", { fetch: () => Promise.reject(cause) });
  void transport.open({});
  onTestFinished(() => transport.close());
  const modern = { _meta: { [MetaKey.ProtocolVersion]: "2026-07-28", [MetaKey.ClientCapabilities]: {} } };
  const call = new Caller(transport, { timeout: 20_000 }).call("m", modern);
  await expect(call).rejects.toMatchObject({ code: "CONNECTION_LOST", cause });
});

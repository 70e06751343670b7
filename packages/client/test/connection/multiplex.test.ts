import { connect } from "@toolwire/client";
import type { Channel } from "@toolwire/protocol";
import { expect, test, vi } from "vitest";
import { withResolvers } from "../with-resolvers.ts";
import { modernServer } from "../scripted-server.ts";

// What channels need is loaded when the test says so.
const loading = vi.hoisted(() => {
  let begin!: () => void;
  let finish!: () => void;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const finished = new Promise<void>((resolve) => (finish = resolve));
  return { begin, begun, finish, finished };
});
vi.mock(import("../../src/connection/wire.ts"), async (importOriginal) => {
  loading.begin();
  await loading.finished;
  return importOriginal();
});

test("a channel that is given up while the multiplexer loads is closed, and never opened", async () => {
  const closed = withResolvers<void>();
  const channel = { open: vi.fn(), send: vi.fn(), close: vi.fn(async () => closed.resolve()) } satisfies Channel;
  const aborter = new AbortController();
  const connecting = expect(connect(() => channel, { signal: aborter.signal })).rejects.toThrow("enough");
  await loading.begun;
  aborter.abort(new Error("enough"));
  await connecting;
  await closed.promise;

  loading.finish();
  // Whoever waits for the same part comes after the one that gave up.
  const client = await connect(modernServer().channel);
  expect(channel.open).not.toHaveBeenCalled();
  expect(channel.close).toHaveBeenCalledOnce();
  await client.close();
});

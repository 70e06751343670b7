import { expect, it } from "vitest";
import { createSsePairChannel } from "../../../src/http/index.ts";
import { withResolvers } from "../../with-resolvers.ts";
import { listen } from "../listen.ts";

it("a channel that is closed while it asks for its headers opens no stream", async () => {
  const { url, seen } = await listen((_, response) => response.writeHead(405).end());
  const headers = withResolvers<Record<string, string>>();
  const channel = createSsePairChannel(url, { headers: () => headers.promise });
  const opening = channel.open({ message() {}, batch() {}, malformed() {}, closed() {} });
  await channel.close();
  headers.resolve({});
  await expect(opening).rejects.toMatchObject({ code: "CLOSED" });
  expect(seen).toEqual([]);
});

import { createServer, tool } from "@toolwire/server";
import { expect, test } from "vitest";
import { startLocal } from "../local-gateway.ts";
import { overHttp } from "./hosting.ts";

test("the length of an upstream's texts and binary data is in the record of a call", async () => {
  const data = Buffer.from("a picture").toString("base64");
  const content: Record<string, readonly object[]> = {
    text: [
      { type: "text", text: "12345" },
      { type: "text", text: "678" },
    ],
    image: [{ type: "image", mimeType: "image/png", data }],
    resource: [{ type: "resource", resource: { uri: "docs://a", text: "1234567" } }],
    blob: [{ type: "resource", resource: { uri: "docs://b", blob: data } }],
    link: [{ type: "resource_link", uri: "docs://c", name: "c" }],
  };
  const tools = Object.fromEntries(
    Object.entries(content).map(([name, blocks]) => [name, tool({ run: () => ({ content: blocks }) as never })]),
  );
  const url = await overHttp(createServer({ name: "upstream", version: "1.0.0", tools: tools as never }));
  await using local = await startLocal({ s: { upstreams: { up: { url } } } });
  for (const name of Object.keys(content)) await local.call("s", name, {});
  expect(Object.fromEntries(local.records.map(({ tool: name, responseBytes }) => [name, responseBytes]))).toEqual({
    text: 8,
    image: data.length,
    resource: 7,
    blob: data.length,
    link: 0,
  });
});

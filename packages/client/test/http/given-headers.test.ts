import { describe, expect, it } from "vitest";
import { connect, UsageError } from "../../src/index.ts";
import { listen, sendJson } from "./listen.ts";

const HEADERS = { authorization: "Bearer x" };

describe("headers", () => {
  it.each([
    ["an object", HEADERS],
    ["Headers", new Headers(HEADERS)],
    ["pairs", Object.entries(HEADERS)],
    ["a function that returns Headers", () => new Headers(HEADERS)],
    ["a promise of pairs", async () => Object.entries(HEADERS)],
  ])("are sent, whether they are given as %s", async (_form, headers) => {
    const { url, seen } = await listen(({ message }, response) =>
      sendJson(response, {
        jsonrpc: "2.0",
        id: message!.id,
        result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} },
      }),
    );
    const client = await connect(url, { headers, memory: false });
    await client.close();
    expect(seen[0]?.headers).toMatchObject(HEADERS);
  });
});

it("arguments that JSON cannot hold are refused with an error that says so", async () => {
  const { url } = await listen(({ message }, response) =>
    sendJson(response, {
      jsonrpc: "2.0",
      id: message!.id,
      result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
    }),
  );
  const client = await connect(url, { memory: false });
  const refusal = client.callTool("any", { n: 1n });
  await expect(refusal).rejects.toBeInstanceOf(UsageError);
  await expect(refusal).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await client.close();
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { expect, onTestFinished, test } from "vitest";
import { startLocal } from "../local-gateway.ts";
import { simulateApi } from "../simulated-api.ts";
import { makeFolder } from "../storage/databases.ts";

/** Counts how often code is generated from text, until the end of the test. */
function countGeneratedCode(): () => number {
  const original = globalThis.Function;
  let count = 0;
  globalThis.Function = new Proxy(original, {
    construct: (target, args, newTarget) => {
      count += 1;
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
  onTestFinished(() => {
    globalThis.Function = original;
  });
  return () => count;
}

const INPUT = { type: "object", properties: { count: { type: "integer", maximum: 9 } }, required: ["count"] } as const;

test("Schemas of the operator are compiled when their first value comes, and those of documents and upstreams never are", async () => {
  await using api = await simulateApi(() => ({ body: "fine" }));
  const upstream = await serveHttp(
    createServer({
      name: "other",
      version: "1",
      tools: { theirs: tool({ description: "Counts", input: INPUT, run: () => "fine" }) },
    }),
    { port: 0 },
  );
  onTestFinished(() => upstream.close());
  const folder = await makeFolder();
  await writeFile(
    join(folder, "api.json"),
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "API", version: "1" },
      paths: {
        "/x": {
          get: {
            operationId: "documented",
            parameters: [{ name: "count", in: "query", required: true, schema: INPUT.properties.count }],
            responses: {},
          },
        },
      },
    }),
  );
  await using local = await startLocal(
    {
      own: {
        tools: { own: { description: "Counts", request: { method: "GET", url: `${api.url}/x` }, input: INPUT } },
      },
      documents: { openapi: { document: "api.json", baseUrl: api.url } },
      upstreams: { upstreams: { other: { url: upstream.url } } },
    },
    { options: { folder } },
  );
  const generated = countGeneratedCode();
  for (const [slug, name] of [
    ["documents", "documented"],
    ["upstreams", "theirs"],
  ] as const) {
    expect((await local.call(slug, name, { count: 3 })).text).toBe("fine");
    expect((await local.call(slug, name, { count: 10 })).isError).toBe(true);
  }
  expect(generated()).toBe(0);

  expect((await local.call("own", "own", { count: 3 })).text).toBe("fine");
  const first = generated();
  expect(first).toBeGreaterThan(0);
  expect((await local.call("own", "own", { count: 10 })).text).toContain("count");
  expect((await local.call("own", "own", { count: 4 })).text).toBe("fine");
  expect(generated()).toBe(first);
});

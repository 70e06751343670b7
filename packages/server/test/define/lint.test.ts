import { createServer, prompt, resource, tool, type OfferedDefinitions, type ServerDiagnostic } from "@toolwire/server";
import { expect, test } from "vitest";

function definitions(seen: OfferedDefinitions[], events: ServerDiagnostic[] = []) {
  return createServer({
    name: "s",
    version: "1.0.0",
    tools: { one: tool({ description: "One", run: () => "" }) },
    prompts: { ask: prompt({ get: () => "" }) },
    resources: {
      note: resource({ uri: "notes://a", read: () => "" }),
      family: resource({ template: "notes://{id}", read: () => "" }),
    },
    lint(offered) {
      seen.push(offered);
      return [{ level: "info", message: "one finding" }];
    },
    onDiagnostic: (event) => events.push(event),
  });
}

test("a linter sees once what clients see, with what is added in the same turn, and not what comes later", async () => {
  const seen: OfferedDefinitions[] = [];
  const events: ServerDiagnostic[] = [];
  const server = definitions(seen, events);
  server.tools.add("two", tool({ run: () => "" }));
  expect(seen).toEqual([]);
  await Promise.resolve();
  server.tools.add("three", tool({ run: () => "" }));
  await Promise.resolve();
  expect(seen).toMatchObject([
    {
      name: "s",
      tools: [{ name: "one", description: "One", inputSchema: { type: "object", properties: {} } }, { name: "two" }],
      prompts: [{ name: "ask" }],
      resources: [{ name: "note", uri: "notes://a" }],
    },
  ]);
  expect(seen[0]!.tools).toHaveLength(2);
  expect(seen[0]!.resources).toHaveLength(1);
  expect(events).toEqual([{ level: "info", message: "one finding" }]);
});

test("a linter that is no function is refused", () => {
  expect(() => createServer({ name: "s", version: "1.0.0", lint: {} as never })).toThrow(/`lint` must be a function/);
});

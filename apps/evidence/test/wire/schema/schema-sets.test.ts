import { expect, test } from "vitest";
import { checkMessages } from "../../../src/wire/check-messages.ts";
import { readSchemaSets } from "../../../src/wire/schema/schema-sets.ts";

const [published, ...others] = readSchemaSets("/nowhere");

test("the published schemas are used where the specification's files are not there", () => {
  expect(published!.name).toBe("published schemas");
  expect(others).toEqual([]);
});

test.each([...published!.schemas.keys()])(
  "the published schemas of %s find a tool result without content",
  (revision) => {
    const _meta = { "io.modelcontextprotocol/protocolVersion": revision };
    const { problems } = checkMessages(
      [
        {
          sender: "client",
          message: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", _meta } },
          isJson: true,
          scope: "one",
        },
        {
          sender: "server",
          message: { jsonrpc: "2.0", id: 1, result: { content: "text" } },
          isJson: true,
          scope: "one",
        },
      ],
      "server",
      published!.schemas,
    );

    expect(problems).toContainEqual(expect.stringContaining("CallToolResult/content must be array"));
  },
);

import { RpcError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { textOf, useServer } from "./use-server.ts";

const { start } = useServer();

describe("tools that ask the client", () => {
  test("trigger-elicitation-request asks for every kind of field", async () => {
    const client = await start({
      elicitation: ({ requestedSchema }) => {
        expect(requestedSchema).toMatchObject({
          properties: {
            name: { type: "string", minLength: 1 },
            subscribe: { type: "boolean", default: false },
            email: { type: "string", format: "email" },
            homepage: { type: "string", format: "uri" },
            since: { type: "string", format: "date" },
            guests: { type: "integer", minimum: 1, maximum: 100, default: 1 },
            budget: { type: "number" },
            meal: { type: "string", enum: ["breakfast", "lunch", "dinner"] },
            extras: { type: "array", items: { enum: ["coffee", "cake", "music"] } },
          },
          required: ["name"],
        });
        return { action: "accept", content: { name: "Toolwire", email: "box@example.com", extras: ["cake", "music"] } };
      },
    });
    const text = await textOf(client.callTool("trigger-elicitation-request"));
    expect(text).toContain("- name: Toolwire\n");
    expect(text).toContain("- guests: 1\n");
    expect(text).toContain("- extras: cake,music");
  });

  test("trigger-elicitation-request tells what the user did instead", async () => {
    const client = await start({ elicitation: () => ({ action: "cancel" }) });
    expect(await textOf(client.callTool("trigger-elicitation-request"))).toContain("(cancel)");
  });

  test("trigger-url-elicitation sends the user to a page", async () => {
    const url = "https://example.com/login";
    const visited: string[] = [];
    const client = await start({
      elicitation: {
        url: (link) => {
          visited.push(link.url);
          return { action: "accept" };
        },
      },
    });
    expect(await textOf(client.callTool("trigger-url-elicitation", { url }))).toBe(`The user agreed to visit ${url}.`);
    expect(visited).toEqual([url]);
    const insecure = await client.callTool("trigger-url-elicitation", { url: "http://example.com/" });
    expect(insecure.isError).toBe(true);
  });

  test("trigger-sampling-request passes on what the model said", async () => {
    const client = await start({
      sampling: ({ messages, maxTokens }) => ({
        role: "assistant",
        model: "parrot-1",
        content: { type: "text", text: `${JSON.stringify(messages[0]?.content)} in ${maxTokens}` },
      }),
    });
    expect(await textOf(client.callTool("trigger-sampling-request", { prompt: "hello", maxTokens: 7 }))).toBe(
      'parrot-1 said: {"type":"text","text":"hello"} in 7',
    );
  });

  test("get-roots-list lists what the client works in", async () => {
    const client = await start({ roots: [{ uri: "file:///home/project", name: "Project" }] });
    expect(await textOf(client.callTool("get-roots-list"))).toBe(
      "The client works in:\n- Project: file:///home/project",
    );
  });

  test("a client that cannot be asked is told so", async () => {
    const client = await start();
    await expect(client.callTool("get-roots-list")).rejects.toBeInstanceOf(RpcError);
  });
});

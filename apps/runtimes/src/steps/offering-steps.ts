import type { Client } from "@toolwire/client";
import { WATCHED } from "../fixture/server.ts";
import { codeOf } from "./calling-steps.ts";
import { expectSame, expectThat } from "./expect.ts";
import type { Steps } from "./outcomes.ts";

/** Finding out what the server offers, and reading it. */
export function offeringSteps(client: Client): Steps {
  return {
    async list() {
      const tools = await collect(client.allTools());
      const forecast = tools.find(({ name }) => name === "forecast");
      const { required, properties } = { required: undefined, properties: {}, ...forecast?.inputSchema };
      expectSame("what a tool requires", required, ["city"]);
      expectSame("what a tool takes", Object.keys(properties as object), ["city", "units"]);
      expectThat("a tool says what it returns", forecast?.outputSchema?.type === "object", forecast);
      const resources = await collect(client.allResources());
      expectSame("the resources", names(resources), ["today", "pixels", "todo"]);
      expectSame("the templates", names(await collect(client.allResourceTemplates())), ["note"]);
      expectSame("the prompts", names(await collect(client.allPrompts())), ["greet"]);
    },
    async resource() {
      const { contents } = await client.readResource(WATCHED);
      expectSame("the text", contents, [{ uri: WATCHED, mimeType: "text/plain", text: "Grüße 🌍" }]);
      const { contents: pixels } = await client.readResource("memo://pixels");
      expectSame("the bytes", pixels, [{ uri: "memo://pixels", mimeType: "image/png", blob: "iVBORwD/" }]);
    },
    async "templated resource"() {
      const uri = "notes://office/caf%C3%A9";
      const { contents } = await client.readResource(uri);
      expectSame("the text", contents, [{ uri, mimeType: "text/plain", text: "café of office" }]);
      const missing = client.era === "modern" ? -32_602 : -32_002;
      expectSame("the code", await codeOf(client.readResource("notes://home/todo")), missing);
    },
    async prompt() {
      const { messages } = await client.getPrompt("greet", { name: "Ada", tone: "formal" });
      const content = { type: "text", text: "Say a formal hello to Ada." };
      expectSame("the messages", messages, [{ role: "user", content }]);
      expectSame("the code", await codeOf(client.getPrompt("greet", {})), -32_602);
    },
    async completion() {
      const ofPrompt = await client.complete({ type: "ref/prompt", name: "greet" }, { name: "tone", value: "f" });
      expectSame("the suggestions for a prompt", ofPrompt.completion.values, ["formal"]);
      const template = { type: "ref/resource", uri: "notes://{folder}/{id}" } as const;
      const ofTemplate = await client.complete(template, { name: "id", value: "t" });
      expectSame("the suggestions for a template", ofTemplate.completion.values, ["todo", "trip"]);
    },
  };
}

/** Everything that a client has to page through. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function names(items: readonly { readonly name: string }[]): string[] {
  return items.map(({ name }) => name);
}

import type { Client } from "@toolwire/client";
import { expectSame, expectThat, rejectionOf } from "./expect.ts";
import type { Steps } from "./outcomes.ts";

const PARALLEL_CALLS = 200;

/** Calling tools whose answer comes at once. */
export function callingSteps(client: Client): Steps {
  return {
    async call() {
      const result = await client.callTool("forecast", { city: "Tromsø 🌍", units: "imperial" });
      const expected = { city: "Tromsø 🌍", degrees: 68 };
      expectSame("the structured result", result.structuredContent, expected);
      expectSame("the content", result.content, [{ type: "text", text: JSON.stringify(expected) }]);
    },
    async "plain JSON Schema"() {
      expectSame("the sum", (await client.callTool("sum", { numbers: [1, 2, 3.5] })).structuredContent, { sum: 6.5 });
      await expectRefusal(client, "sum", { numbers: [1, "two"] }, "numbers");
    },
    async "bad arguments"() {
      const before = await textOf(client, "forecasts");
      await expectRefusal(client, "forecast", { city: "X" }, "city");
      await expectRefusal(client, "forecast", { city: "Oslo", units: "kelvin" }, "units");
      expectSame("how often the tool ran meanwhile", await textOf(client, "forecasts"), before);
    },
    async "compiled schemas"() {
      const verdicts = [true, false, false];
      expectSame("the verdicts", await textOf(client, "validate"), JSON.stringify([verdicts, verdicts]));
    },
    async bytes() {
      const { content } = await client.callTool("picture");
      expectSame("the picture", content, [{ type: "image", data: "iVBORwD/", mimeType: "image/png" }]);
    },
    async "tool error"() {
      const { content, isError } = await client.callTool("refuse");
      expectSame("the flag", isError, true);
      expectSame("the reason", content, [{ type: "text", text: "The kitchen is closed; come back tomorrow." }]);
    },
    async redaction() {
      const { content, isError } = await client.callTool("crash");
      const text = JSON.stringify(content);
      expectSame("the flag", isError, true);
      expectThat("an id and nothing else is told", /[0-9a-f]{8}-/.test(text) && !text.includes("hunter2"), content);
    },
    async "protocol error"() {
      expectSame("the code", await codeOf(client.callTool("nonesuch")), -32_602);
    },
    async "many at once"() {
      const numbers = Array.from({ length: PARALLEL_CALLS }, (_, index) => index);
      const results = await Promise.all(numbers.map((number) => client.callTool("sum", { numbers: [number, 1] })));
      const sums = results.map(({ structuredContent }) => (structuredContent as { readonly sum: number }).sum);
      expectSame(
        "the sums",
        sums,
        numbers.map((number) => number + 1),
      );
    },
  };
}

/** The text that a tool answers with. */
export async function textOf(client: Client, tool: string): Promise<string> {
  const { content, isError } = await client.callTool(tool);
  const [block] = content;
  if (isError === true || block?.type !== "text") throw new Error(`${tool} failed: ${JSON.stringify(content)}`);
  return block.text;
}

/** The number that the server refused a request with. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await rejectionOf(promise);
  return "code" in error ? error.code : error;
}

/** Arguments that do not fit are a result, in which the model reads what is wrong. */
async function expectRefusal(client: Client, tool: string, args: object, path: string): Promise<void> {
  const { content, isError } = await client.callTool(tool, { ...args });
  expectSame("the flag", isError, true);
  expectThat(`the answer names ${path}`, JSON.stringify(content).includes(path), content);
}

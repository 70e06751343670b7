/** Checks that an answer is the right one: a server that is fast because it answers nonsense does not count. */
import { echoText, SUMMANDS } from "./requests.ts";
import type { Call } from "./scenario.ts";
import { nameTools } from "./tools.ts";

interface Answer {
  readonly id?: unknown;
  readonly error?: unknown;
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly type?: string; readonly text?: string }[];
    readonly structuredContent?: { readonly sum?: unknown };
    readonly tools?: readonly { readonly name?: string; readonly inputSchema?: { readonly type?: string } }[];
  };
}

/** The call that an answer has to fit. */
export interface Expectation {
  readonly call: Call;
  readonly tools: number;
}

/** Throws unless `text` is the JSON-RPC message that answers the call, and returns its id. */
export function checkAnswer(text: string, { call, tools }: Expectation): unknown {
  const { id, result, error } = JSON.parse(text) as Answer;
  const wrong = (what: string): Error => new Error(`Wrong answer, ${what}: ${text.slice(0, 400)}`);
  if (error !== undefined || result === undefined) throw wrong("no result");
  if (call.kind === "list") {
    const names = new Set(result.tools?.map((tool) => tool.name));
    if (result.tools?.length !== tools || !nameTools(tools).every((name) => names.has(name))) {
      throw wrong(`not the ${tools} tools`);
    }
    if (!result.tools.every((tool) => tool.inputSchema?.type === "object")) throw wrong("a tool without a schema");
    return id;
  }
  if (result.isError === true) throw wrong("the tool failed");
  if (call.kind === "sum") {
    if (result.structuredContent?.sum !== SUMMANDS.a + SUMMANDS.b) throw wrong("not the sum");
    return id;
  }
  if (result.content?.[0]?.text !== echoText(call.bytes)) throw wrong("not the text that was sent");
  return id;
}

/** Throws unless `text` refuses a call with bad arguments, as a tool result or as a JSON-RPC error. */
export function checkRefusal(text: string): void {
  const { result, error } = JSON.parse(text) as Answer;
  if (error === undefined && result?.isError !== true) {
    throw new Error(`Bad arguments were accepted, so the input is not validated: ${text.slice(0, 400)}`);
  }
}

/** The message in the body of an HTTP answer, which for SSE is the data of the last event that has any. */
export function readHttpAnswer(body: string, contentType: string): string {
  if (!contentType.startsWith("text/event-stream")) return body;
  let message = "";
  for (const event of body.split(/\r?\n\r?\n/)) {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice(line.startsWith("data: ") ? 6 : 5));
    if (data.some((line) => line !== "")) message = data.join("\n");
  }
  return message;
}

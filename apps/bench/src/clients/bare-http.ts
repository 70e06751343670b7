/** The bytes that clients without a protocol library send and read over HTTP, and nothing else. */
import { callParams, protocolHeaders } from "../workload/requests.ts";

/** The part of an answer that matters. */
export interface Answer {
  readonly id: number;
  readonly result: { readonly content: readonly { readonly text: string }[] };
}

/** The header fields of every call, and what writes its body. */
export function prepareCalls(bytes: number): { headers: Record<string, string>; nextBody: () => string } {
  const call = { kind: "echo", bytes } as const;
  const params = callParams(call, "modern");
  let id = 0;
  return {
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...protocolHeaders(call, "modern"),
    },
    nextBody: () => JSON.stringify({ jsonrpc: "2.0", id: ++id, method: "tools/call", params }),
  };
}

/** The text in the body of an answer. */
export function readText(body: string, answers: "json" | "sse"): string {
  const json = answers === "json" ? body : body.slice(body.indexOf("data: ") + 6, body.lastIndexOf("\n\n"));
  return (JSON.parse(json) as Answer).result.content[0]?.text ?? "";
}

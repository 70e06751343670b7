/** Which member of `params` names what a request is about, by method: the `Mcp-Name` header repeats it (2026-07-28). */
export const NAMED_BY: ReadonlyMap<string, "name" | "uri"> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

import type { Tool } from "@toolwire/protocol";
import { canonicalJson } from "@toolwire/protocol/internal";

/** Fingerprints of approved tools by name. The gateway keeps those of its upstreams in the same form. */
export interface Fingerprints {
  readonly [tool: string]: string;
}

/**
 * Makes a fingerprint of everything in the listing of a tool that a model or a person goes by: name, title, description, schemas,
 * annotations. It stays the same as long as the tool does, so that it can be kept to tell whether a tool has changed since somebody
 * looked at it.
 */
export async function fingerprintTool(tool: Tool): Promise<string> {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const text = canonicalJson([name, title, description, inputSchema, outputSchema, annotations]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Makes the fingerprints of a list, to be kept as approved: `await fingerprintTools(client.allTools())`. */
export async function fingerprintTools(tools: Iterable<Tool> | AsyncIterable<Tool>): Promise<Fingerprints> {
  const entries: [string, string][] = [];
  for await (const tool of tools) entries.push([tool.name, await fingerprintTool(tool)]);
  return Object.fromEntries(entries);
}

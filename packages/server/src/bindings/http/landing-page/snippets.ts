/** How to connect: what people copy into the configuration of a client, or into a shell. */
import { eraOf, MetaKey, type Revision } from "@toolwire/protocol";
import { encodeUnreserved } from "@toolwire/protocol/internal";

/** Something to copy, and where it belongs. */
export interface Snippet {
  readonly place: string;
  readonly text: string;
}

/** A host with its port, as it is safe in a shell. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/**
 * The URL of an endpoint, from what its client asked for. It is copied into shells, and whoever made a link has chosen its path. So
 * nothing is left that has a meaning to a shell. `undefined` if the host cannot be written like that.
 */
export function writeUrl(isEncrypted: boolean, host: string | undefined, path: string): string | undefined {
  if (host === undefined || !HOST.test(host)) return undefined;
  const plain = path.replaceAll(/%(?![\da-f]{2})|[^\w.~/%-]+/gi, encodeUnreserved);
  return `${isEncrypted ? "https" : "http"}://${host}${plain}`;
}

/** A name for the server in the configuration of a client, which may be an argument of a command. */
export function writeName(name = ""): string {
  const plain = withoutOuterDashes(name.replaceAll(/[^\w-]+/g, "-"));
  return plain === "" ? "my-server" : plain.slice(0, 64);
}

function withoutOuterDashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === "-") start += 1;
  while (end > start && text[end - 1] === "-") end -= 1;
  return text.slice(start, end);
}

/** The ways to connect a client. `revision`: the newest one, for those who write requests by hand; `undefined` if they need a token first. */
export function listSnippets(name: string, url: string, revision: Revision | undefined): readonly Snippet[] {
  const entry = { [name]: { type: "http", url } };
  const snippets = [
    { place: "Claude Code", text: `claude mcp add --transport http ${name} ${url}` },
    { place: "Cursor, and other clients with mcpServers", text: writeJson({ mcpServers: entry }) },
    { place: "VS Code, in .vscode/mcp.json", text: writeJson({ servers: entry }) },
  ];
  return revision === undefined ? snippets : [...snippets, { place: "curl", text: writeCurl(url, revision) }];
}

function writeJson(value: object): string {
  return JSON.stringify(value, null, 2);
}

function writeCurl(url: string, revision: Revision): string {
  const isModern = eraOf(revision) === "modern";
  const meta = { [MetaKey.ProtocolVersion]: revision, [MetaKey.ClientCapabilities]: {} };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list", ...(isModern && { params: { _meta: meta } }) };
  const headers = [
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `MCP-Protocol-Version: ${revision}`,
    ...(isModern ? ["Mcp-Method: tools/list"] : []),
  ];
  return [
    `curl ${url}`,
    ...headers.map((header) => `  --header '${header}'`),
    `  --data '${JSON.stringify(message)}'`,
  ].join(" \\\n");
}

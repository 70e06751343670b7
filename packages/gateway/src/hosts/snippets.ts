import { toFileEntry } from "./file-entry.ts";
import { replaceReferences, type UrlEntry } from "./host-entry.ts";
import { type Host, type HostId, HOSTS } from "./hosts.ts";
import { quoteArgument, writeCommand } from "./shell.ts";

/** One way to connect to an endpoint, as text to copy. */
export interface Snippet {
  readonly id: HostId | "inspector" | "curl" | "client";
  /** The name of the application or program, to show to people. */
  readonly title: string;
  /** What the text is. */
  readonly language: "json" | "sh" | "ts";
  readonly text: string;
  /** The file that a JSON text goes into. */
  readonly files?: readonly string[] | undefined;
  /** A command that does the same. */
  readonly command?: string | undefined;
  /** A link that does the same in the application. It has the headers of the endpoint: it is as secret as they are. */
  readonly link?: string | undefined;
}

/** All ways to connect to an endpoint: each application's file, link or command, the inspector, curl, and our client. */
export function writeSnippets(endpoint: UrlEntry): readonly Snippet[] {
  return [
    ...HOSTS.map((host) => writeHostSnippet(host, endpoint)),
    { id: "inspector", title: "MCP Inspector", language: "sh", text: writeInspector(endpoint) },
    { id: "curl", title: "curl", language: "sh", text: writeCurl(endpoint) },
    { id: "client", title: "@toolwire/client", language: "ts", text: writeClient(endpoint) },
  ];
}

function writeHostSnippet(host: Host, endpoint: UrlEntry): Snippet {
  const { linux, macos, windows } = host.userFile;
  const inputs = host.variables === "input" ? inputsOf(endpoint) : [];
  const content = {
    [host.member]: { [endpoint.name]: toFileEntry(host, endpoint) },
    ...(inputs.length > 0 && { inputs }),
  };
  return {
    id: host.id,
    title: host.title,
    language: "json",
    text: JSON.stringify(content, undefined, 2),
    files: [...new Set([...(host.projectFile === undefined ? [] : [host.projectFile]), macos, windows, linux])],
    command: installCommand(host, endpoint),
    link: installLink(host, endpoint),
  };
}

function inputsOf(endpoint: UrlEntry): readonly object[] {
  const ids = new Set<string>();
  for (const text of [endpoint.url, ...Object.values(endpoint.headers)]) {
    replaceReferences(text, (_, id) => (ids.add(id), ""));
  }
  return [...ids].map((id) => ({ type: "promptString", id, description: id, password: true }));
}

/** The command by which an application takes a server; `undefined` if it has none. */
function installCommand({ id }: Host, { name, url, headers }: UrlEntry): string | undefined {
  if (id === "claude-code") {
    // `--header` takes all that follows as further headers, so it stands at the end.
    const options = Object.entries(headers).map(([header, value]) => ["--header", `${header}: ${value}`]);
    return writeCommand(["claude", "mcp", "add", "--transport", "http", name, url], ...options);
  }
  if (id !== "vscode") return undefined;
  return writeCommand(["code", "--add-mcp", JSON.stringify({ name, type: "http", url, ...headersOf(headers) })]);
}

/** The link by which an application takes a server; `undefined` if it has none. */
function installLink(host: Host, endpoint: UrlEntry): string | undefined {
  const { name } = endpoint;
  const entry = toFileEntry(host, endpoint);
  if (host.id === "cursor") {
    const config = encodeURIComponent(encodeBase64(JSON.stringify(entry)));
    return `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${config}`;
  }
  if (host.id !== "vscode") return undefined;
  const inputs = inputsOf(endpoint);
  const content = { name, ...entry, ...(inputs.length > 0 && { inputs }) };
  return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(content))}`;
}

function writeInspector({ url, headers }: UrlEntry): string {
  const options = Object.entries(headers).map(([header, value]) => ["--header", `${header}: ${value}`]);
  return writeCommand(
    ["npx", "@modelcontextprotocol/inspector", "--transport", "http", "--server-url", url],
    ...options,
  );
}

function writeCurl({ url, headers }: UrlEntry): string {
  const options = Object.entries(headers).map(([header, value]) => ["--header", `${header}: ${value}`]);
  const data = `'${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}'`;
  return [
    `curl ${quoteArgument(url)}`,
    "--header 'content-type: application/json'",
    ...options.map((option) => option.map(quoteArgument).join(" ")),
    `--data ${data}`,
  ].join(" \\\n  ");
}

function writeClient({ url, headers }: UrlEntry): string {
  const members = Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${writeLiteral(value)}`);
  const options = members.length === 0 ? "" : `, { http: { headers: { ${members.join(", ")} } } }`;
  return `import { connect } from "@toolwire/client";

await using client = await connect(${writeLiteral(url)}${options});
const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name));
`;
}

/** A text of TypeScript. References become variables of the process. */
function writeLiteral(text: string): string {
  const hasReferences = replaceReferences(text, () => "") !== text;
  if (!hasReferences) return JSON.stringify(text);
  const escaped = text.replaceAll(/\$\{(?:env|input):[A-Za-z_][\w.-]*\}|[`\\$]/g, (found) =>
    found.length > 1 ? found : `\\${found}`,
  );
  return `\`${replaceReferences(escaped, (_, name) => `\${process.env[${JSON.stringify(name)}]}`)}\``;
}

function headersOf(headers: UrlEntry["headers"]): { readonly headers?: UrlEntry["headers"] } {
  return Object.keys(headers).length === 0 ? {} : { headers };
}

/** `btoa` takes bytes, not characters. */
function encodeBase64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}

import { UsageError } from "@toolwire/protocol";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import type { HostEntry } from "./host-entry.ts";

/** The servers of an application's file. */
export interface HostFile {
  readonly entries: readonly HostEntry[];
  /** What the application asks its user for: VS Code's `inputs`, by id. */
  readonly inputs: { readonly [id: string]: { readonly isSecret: boolean; readonly description?: string | undefined } };
  /** Everything that is in the file and in none of the entries, one sentence each. No values of variables or headers. */
  readonly notes: readonly string[];
}

/** Members that each kind of entry is made of. */
const COMMAND_MEMBERS = new Set(["type", "command", "args", "env", "cwd"]);
const URL_MEMBERS = new Set(["type", "url", "serverUrl", "headers"]);

/** Types of entries with an address, by every name that is in use. */
const HTTP_TYPES = new Set(["http", "streamable-http", "streamableHttp", "streamable_http", "sse", "ws", "websocket"]);

interface JsonObject {
  readonly [member: string]: unknown;
}

/** Whether a text is an application's file: JSON with `mcpServers`, or with `servers` that have a command or an address. */
export function isHostFile(text: string): boolean {
  return serversIn(parse(withoutMark(text), [], { allowTrailingComma: true }) as unknown) !== undefined;
}

/**
 * Reads a file of Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, or another application that has `mcpServers`.
 * Comments and commas at ends are allowed.
 *
 * @throws UsageError if the text is no such file; it names the line
 */
export function readHostFile(text: string): HostFile {
  const errors: ParseError[] = [];
  const content = parse(withoutMark(text), errors, { allowTrailingComma: true }) as unknown;
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    const reason = printParseErrorCode(error.error);
    throw new UsageError("INVALID_ARGUMENT", `The file is not valid JSON: ${reason} in line ${line}.`);
  }
  const servers = serversIn(content);
  if (servers === undefined) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      "The file has no MCP servers: `mcpServers`, or `servers` as VS Code has it.",
    );
  }
  const notes: string[] = [];
  const entries: HostEntry[] = [];
  for (const [name, value] of Object.entries(servers)) {
    const entry = readEntry(name, value, (note) => {
      notes.push(`${name}: ${note}`);
    });
    if (typeof entry === "string") notes.push(`${name}: ${entry}, so it was left out.`);
    else entries.push(entry);
  }
  noteProjects(content as JsonObject, notes);
  return { entries, inputs: readInputs(content as JsonObject, notes), notes };
}

/** Editors on Windows put a byte order mark in front. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
}

/** Claude Code's own file also keeps servers by project. They belong to those projects alone. */
function noteProjects({ projects }: JsonObject, notes: string[]): void {
  if (!isObject(projects)) return;
  for (const [path, project] of Object.entries(projects)) {
    const names = isObject(project) && isObject(project["mcpServers"]) ? Object.keys(project["mcpServers"]) : [];
    if (names.length > 0) notes.push(`The servers of the project ${path} were left out: ${names.join(", ")}.`);
  }
}

function serversIn(content: unknown): JsonObject | undefined {
  if (!isObject(content)) return undefined;
  if (isObject(content["mcpServers"])) return content["mcpServers"];
  // In VS Code's settings, both are in `mcp`.
  const { servers } = isObject(content["mcp"]) ? content["mcp"] : content;
  if (!isObject(servers)) return undefined;
  const isOfMcp = Object.values(servers).every((each) => isObject(each) && ("command" in each || "url" in each));
  return isOfMcp ? servers : undefined;
}

/** Reads one server, or says why it is none. */
function readEntry(name: string, value: unknown, note: (text: string) => void): HostEntry | string {
  if (!isObject(value)) return "is no object";
  const url = value["url"] ?? value["serverUrl"];
  const { type, command } = value;
  if (typeof url === "string") {
    noteOthers(value, URL_MEMBERS, note);
    if (typeof type === "string" && !HTTP_TYPES.has(type)) note(`has the unknown type ${JSON.stringify(type)}.`);
    if (type === "sse") note('has the type "sse", which was replaced in 2025. Its address is called with plain HTTP.');
    return { name, url: readReferences(url, note), headers: readTexts(value["headers"], "headers", note) };
  }
  if (typeof command !== "string") return "has neither a `command` nor a `url`";
  noteOthers(value, COMMAND_MEMBERS, note);
  const { args = [], cwd } = value;
  const areTexts = Array.isArray(args) && args.every((each) => typeof each === "string");
  if (!areTexts) return "has `args` that are no list of texts";
  return {
    name,
    command: readReferences(command, note),
    args: args.map((each) => readReferences(each, note)),
    env: readTexts(value["env"], "env", note),
    ...(typeof cwd === "string" && { cwd: readReferences(cwd, note) }),
  };
}

/** Says which members of an entry have no counterpart. */
function noteOthers(value: JsonObject, known: ReadonlySet<string>, note: (text: string) => void): void {
  const others = Object.keys(value).filter((member) => !known.has(member));
  if (value["disabled"] === true) note("is disabled in this file.");
  const unknown = others.filter((member) => member !== "disabled");
  if (unknown.length > 0) note(`${unknown.map((member) => `\`${member}\``).join(", ")} was left out.`);
}

/** Reads `env` or `headers`. Numbers and booleans are texts there. */
function readTexts(value: unknown, member: string, note: (text: string) => void): { readonly [name: string]: string } {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) {
    note(`\`${member}\` is no object, so it was left out.`);
    return {};
  }
  const texts: [string, string][] = [];
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === "string") texts.push([name, readReferences(each, note)]);
    else if (typeof each === "number" || typeof each === "boolean") texts.push([name, String(each)]);
    else note(`\`${member}.${name}\` is no text, so it was left out.`);
  }
  return Object.fromEntries(texts);
}

/** What VS Code and Cursor fill in by themselves. */
const PREDEFINED = /^(?:workspaceFolder|workspaceFolderBasename|userHome|pathSeparator)$/;

/** Claude Code writes `${NAME}` and `${NAME:-default}` for what others write as `${env:NAME}`. */
function readReferences(text: string, note: (text: string) => void): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)(:-[^}]*)?\}/g, (whole, name: string, fallback?: string) => {
    if (fallback !== undefined) note(`\`${name}\` has a default, which was left out: set the variable.`);
    if (name === "userHome") return "${env:HOME}";
    if (!PREDEFINED.test(name)) return `\${env:${name}}`;
    note(`\`${whole}\` is filled in by the application only.`);
    return whole;
  });
}

function readInputs(content: JsonObject, notes: string[]): HostFile["inputs"] {
  const { inputs } = isObject(content["mcp"]) ? content["mcp"] : content;
  if (!Array.isArray(inputs)) return {};
  const read: [string, HostFile["inputs"][string]][] = [];
  for (const input of inputs as readonly unknown[]) {
    if (!isObject(input) || typeof input["id"] !== "string") {
      notes.push("`inputs` has an entry without an id, which was left out.");
      continue;
    }
    const { id, password, description } = input;
    read.push([
      id,
      { isSecret: password === true, description: typeof description === "string" ? description : undefined },
    ]);
  }
  return Object.fromEntries(read);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

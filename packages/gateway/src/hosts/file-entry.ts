import { type HostEntry, replaceReferences, type UrlEntry } from "./host-entry.ts";
import type { Host } from "./hosts.ts";

/** An entry as an application's file has it, without its name. */
export interface FileEntry {
  readonly [member: string]: unknown;
}

/** Writes an entry in the spelling of an application. */
export function toFileEntry(host: Host, entry: HostEntry): FileEntry {
  if ("url" in entry) return host.address === "none" ? bridgeEntry(entry) : addressEntry(host, entry);
  const write = (text: string): string => writeReferences(host, text);
  return {
    ...(host.namesType && { type: "stdio" }),
    command: write(entry.command),
    ...(entry.args.length > 0 && { args: entry.args.map(write) }),
    ...(Object.keys(entry.env).length > 0 && { env: mapValues(entry.env, write) }),
    ...(entry.cwd !== undefined && { cwd: write(entry.cwd) }),
  };
}

function addressEntry(host: Host, { url, headers }: UrlEntry): FileEntry {
  const write = (text: string): string => writeReferences(host, text);
  return {
    ...(host.namesType && { type: "http" }),
    [host.address]: write(url),
    ...(Object.keys(headers).length > 0 && { headers: mapValues(headers, write) }),
  };
}

/**
 * An address for an application that starts programs only: `mcp-remote` passes messages on. Values of headers go through the
 * environment, because some applications split arguments at spaces, and because arguments can be read by other programs.
 */
function bridgeEntry({ url, headers }: UrlEntry): FileEntry {
  const env: { [name: string]: string } = {};
  const options = Object.entries(headers).flatMap(([name, value]) => {
    const variable = `HEADER_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
    env[variable] = replaceReferences(value, (_, reference) => `<${reference}>`);
    return ["--header", `${name}:\${${variable}}`];
  });
  return {
    command: "npx",
    args: ["-y", "mcp-remote", url, ...(isPlainHttp(url) ? ["--allow-http"] : []), ...options],
    ...(options.length > 0 && { env }),
  };
}

/** Whether `mcp-remote` refuses an address unless it is told otherwise: HTTP without TLS to another machine. */
function isPlainHttp(url: string): boolean {
  return /^http:\/\//i.test(url) && !/^http:\/\/(?:localhost|127\.0\.0\.1)(?::|\/|$)/i.test(url);
}

/** Writes references to variables in the spelling of an application. */
function writeReferences({ variables }: Host, text: string): string {
  return replaceReferences(text, (kind, name) => {
    if (variables === "input") return `\${input:${name}}`;
    if (variables === "plain") return `\${${name}}`;
    return variables === "env" ? `\${${kind}:${name}}` : `<${name}>`;
  });
}

/** The names to which the texts of an entry refer. */
export function referencesOf(entry: HostEntry): readonly string[] {
  const texts =
    "url" in entry
      ? [entry.url, ...Object.values(entry.headers)]
      : [entry.command, ...entry.args, ...Object.values(entry.env), entry.cwd ?? ""];
  const names = new Set<string>();
  for (const text of texts) replaceReferences(text, (_, name) => (names.add(name), ""));
  return [...names];
}

function mapValues(
  values: { readonly [name: string]: string },
  write: (text: string) => string,
): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, write(value)]));
}

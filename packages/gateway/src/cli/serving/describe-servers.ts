import { identifiesCallers } from "../../config/identifies-callers.ts";
import { isLoopback } from "../../config/loopback.ts";
import type { Gateway, GatewayServer } from "../../gateway.ts";
import { plain } from "../table.ts";
import type { Paint } from "./paint.ts";

/** How many columns the names of tools may take. */
const NAMES_WIDTH = 60;

/** Writes the names of tools, as many as fit: `a, b and 12 more`. */
function writeNames(names: readonly string[], width: number = NAMES_WIDTH): string {
  const shown: string[] = [];
  let length = 0;
  for (const name of names) {
    const text = plain(name);
    length += text.length + 2;
    if (length > width && shown.length > 0) break;
    shown.push(text);
  }
  const rest = names.length - shown.length;
  return rest === 0 ? shown.join(", ") : `${shown.join(", ")} and ${rest} more`;
}

/** `1 tool: a`, `12 tools: a, b and 10 more`. */
export function countTools(names: readonly string[]): string {
  if (names.length === 0) return "no tools";
  return `${names.length} ${names.length === 1 ? "tool" : "tools"}: ${writeNames(names)}`;
}

/** What a person sees when the gateway serves: endpoints, tools, who may call, and the page. */
export function describeStart(gateway: Gateway, file: string, link: string | undefined, paint: Paint): string {
  const servers = gateway.servers();
  const width = Math.max(0, ...servers.map(({ slug }) => slug.length));
  const lines = servers.flatMap((server) => describeServer(gateway.url, server, width, paint));
  const open = servers.filter(({ config }) => !identifiesCallers(config, isLoopback(hostOf(gateway))));
  return [
    "",
    `${paint("bold", "Toolwire gateway")} serves ${plain(file)}`,
    "",
    ...(servers.length === 0 ? ["  no servers yet: add one to the file, or on the page"] : lines),
    "",
    ...describeAccess(open.length, servers.length, isLoopback(hostOf(gateway)), paint),
    ...describePage(gateway, link, paint),
    paint("dim", "Calls appear below. Ctrl+C ends the gateway."),
    "",
  ].join("\n");
}

function describeServer(url: string, server: GatewayServer, width: number, paint: Paint): string[] {
  const { slug, status, tools, upstreams, config, problems } = server;
  const indent = " ".repeat(width + 4);
  const mode = config.mode === "search" ? " (search mode)" : "";
  const state = status === "active" ? "" : paint("yellow", ` (${status})`);
  const names = tools.filter((tool) => tool.status === "active").map(({ listing }) => listing.name);
  const head = `  ${paint("bold", slug.padEnd(width))}  ${paint("cyan", `${url}/mcp/${slug}`)}${state}`;
  // Tools of upstreams are known later, and have lines of their own.
  const own = upstreams.length > 0 && names.length === 0 ? [] : [`${indent}${countTools(names)}${mode}`];
  return [
    head,
    ...own,
    ...upstreams.map(({ name, config: upstream }) => {
      const waits = upstream.perUser === true ? "one connection for each caller" : "connecting …";
      return `${indent}${paint("dim", `upstream ${plain(name)}: ${waits}`)}`;
    }),
    ...problems.map((problem) => `${indent}${paint("yellow", `! ${plain(problem).slice(0, 300)}`)}`),
  ];
}

function describeAccess(open: number, all: number, isLocal: boolean, paint: Paint): string[] {
  if (open === 0) return [];
  const what = open === all ? "Open" : `${open} of ${all} servers are open`;
  if (isLocal) return [`${what} to everybody on this machine; keys are not checked.`];
  return [paint("yellow", `${what} to everybody who reaches this machine; keys are not checked.`)];
}

function describePage({ adminUrl }: Gateway, link: string | undefined, paint: Paint): string[] {
  if (adminUrl === undefined) return [];
  if (link === undefined) return [`The page is at ${paint("cyan", adminUrl)}`];
  return [`The page is at ${paint("cyan", link)}`, paint("dim", "This link logs you in once, within ten minutes.")];
}

/** The host that a gateway listens on. */
function hostOf({ url }: Gateway): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
}

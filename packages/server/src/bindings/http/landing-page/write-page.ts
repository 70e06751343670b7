/** The pages for people: what an endpoint is, and how to connect to it. */
import type { Revision } from "@toolwire/protocol";
import { toBase64 } from "../../../content/binary.ts";
import { markup, type Markup } from "./html.ts";
import type { PublicServer } from "./public-server.ts";
import { listSnippets, writeName } from "./snippets.ts";
import { STYLE } from "./style.ts";

/** The most characters of one text that a page shows. */
const MAX_TEXT = 2000;

/** The page of a server that everybody may use. */
export function writeServerPage(server: PublicServer, url: string | undefined, revision: Revision | undefined): string {
  const { info, instructions, tools } = server;
  const name = cut(info.title ?? info.name ?? "MCP server");
  const version = info.version === undefined ? undefined : markup` <span class="faint">${cut(info.version)}</span>`;
  return writeDocument(name, [
    markup`<h1><bdi>${name}</bdi>${version}</h1>\n`,
    INTRODUCTION,
    writeText(info.description),
    writeLink(info.websiteUrl),
    writeText(instructions),
    writeConnect(writeName(info.name), url, revision),
    tools.length === 0 ? undefined : writeTools(server),
  ]);
}

/** The page of a server that needs credentials. It says nothing about the server. */
export function writeProtectedPage(url: string | undefined): string {
  const how = "Connect an MCP client: it will ask you to log in, if that is the way.";
  return writeDocument("MCP server", [
    markup`<h1>MCP server</h1>\n`,
    INTRODUCTION,
    writeText(`You have to log in, or to have a key, to see what it offers. ${how}`),
    writeConnect(writeName(), url, undefined),
  ]);
}

const PURPOSE = "This is the endpoint of an MCP server, for AI applications. It is not made to be used in a browser.";
const INTRODUCTION: Markup = markup`<p class="faint">${PURPOSE}</p>\n`;

function writeTools({ tools, hasMoreTools }: PublicServer): Markup {
  const entries = tools.map(({ name, title, description = "" }) => {
    const shown = title === undefined ? undefined : markup` <bdi>${cut(title)}</bdi>`;
    return markup`<dt><code><bdi>${cut(name)}</bdi></code>${shown}</dt>\n<dd class="text faint">${cut(description)}</dd>\n`;
  });
  const more = markup`<p class="faint">There are more tools. A client lists them all.</p>\n`;
  return markup`<h2>Tools</h2>\n<dl>\n${entries}</dl>\n${hasMoreTools ? more : undefined}`;
}

function writeConnect(name: string, url: string | undefined, revision: Revision | undefined): Markup {
  if (url === undefined) return markup`<p>To connect, give an MCP client the URL of this page.</p>\n`;
  const snippets = listSnippets(name, url, revision).map(
    ({ place, text }) => markup`<h3>${place}</h3>\n<pre><code>${text}</code></pre>\n`,
  );
  const intro = "The URL of the server, for any MCP client:";
  return markup`<h2>Connect</h2>\n<p>${intro}</p>\n<pre><code>${url}</code></pre>\n${snippets}`;
}

function writeText(text: string | undefined): Markup | undefined {
  return text === undefined || text === "" ? undefined : markup`<p class="text">${cut(text)}</p>\n`;
}

function writeLink(url: string | undefined): Markup | undefined {
  if (url === undefined || !/^https?:\/\//i.test(url)) return undefined;
  return markup`<p><a rel="noreferrer noopener" href="${url}">${cut(url)}</a></p>\n`;
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).trimEnd()}…` : text;
}

function writeDocument(title: string, parts: readonly (Markup | undefined)[]): string {
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    markup`<title>${title}</title>`.text,
    `<style>${STYLE}</style>`,
  ];
  const body = parts.map((part) => part?.text ?? "");
  return `<!doctype html>\n<html lang="en">\n<head>\n${head.join("\n")}\n</head>\n<body>\n<main>\n${body.join("")}</main>\n</body>\n</html>\n`;
}

let headers: Promise<readonly string[]> | undefined;

/** The header fields of all pages: names and values in turn. Browsers may show the page and its style, and nothing else. */
export function pageHeaders(): Promise<readonly string[]> {
  return (headers ??= makeHeaders());
}

async function makeHeaders(): Promise<readonly string[]> {
  const hash = toBase64(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(STYLE))));
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return [
    ["Content-Type", "text/html; charset=utf-8"],
    ["Content-Security-Policy", policy],
    ["X-Content-Type-Options", "nosniff"],
    ["Referrer-Policy", "no-referrer"],
    ["Cache-Control", "no-store"],
    ["Vary", "Accept"],
  ].flat();
}

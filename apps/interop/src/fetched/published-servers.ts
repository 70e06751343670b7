import type { Transport } from "../clients/task.ts";
import {
  BY_TRANSPORT,
  rowPerPeer,
  type ClientPeer,
  type Matrix,
  type PackageProgram,
  type ServerPeer,
} from "../matrix/cell.ts";
import { ourClient } from "../matrix/own-peers.ts";
import { pinnedVersionOf } from "../matrix/versions.ts";
import { SURVEY_STEPS, type SurveyCall } from "../steps/survey-steps.ts";

/** Our client, running a survey. */
const surveyor: ClientPeer = { ...ourClient, program: { file: "survey" } };

interface Options extends Partial<Omit<PackageProgram, "package">> {
  /** Default: stdio. */
  readonly transports?: readonly Transport[];
  readonly calls?: readonly SurveyCall[];
  /** An environment variable without which the server does not start. Any value will do. */
  readonly key?: string;
}

function publish(name: string, { transports = ["stdio"], calls = [], key, ...program }: Options = {}): ServerPeer {
  return {
    title: `${name.replace("@modelcontextprotocol/", "")} ${pinnedVersionOf(name)}`,
    program: {
      package: name,
      args: () => [],
      ...(key !== undefined && { variables: () => ({ [key]: "none" }) }),
      ...program,
    },
    transports,
    calls,
  };
}

const MEMO = "a memo for the survey";

/** Parts of error messages of tools that need a network. */
const OFFLINE = "ENETUNREACH";
const FETCH_FAILED = "fetch failed";

const servers: readonly ServerPeer[] = [
  publish("@modelcontextprotocol/server-filesystem", {
    args: () => ["."],
    calls: [
      { tool: "write_file", args: { path: "memo.txt", content: MEMO }, text: "memo.txt" },
      { tool: "read_text_file", args: { path: "memo.txt" }, text: MEMO },
    ],
  }),
  publish("@modelcontextprotocol/server-memory", {
    variables: ({ folder }) => ({ MEMORY_FILE_PATH: `${folder}/memory.jsonl` }),
    calls: [
      {
        tool: "create_entities",
        args: { entities: [{ name: "memo", entityType: "note", observations: [MEMO] }] },
        text: MEMO,
      },
      { tool: "read_graph", args: {}, text: MEMO },
    ],
  }),
  publish("@modelcontextprotocol/server-sequential-thinking", {
    calls: [
      {
        tool: "sequentialthinking",
        args: { thought: "First things first.", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
        text: "thoughtNumber",
      },
    ],
  }),
  publish("@modelcontextprotocol/server-postgres", { args: () => ["postgresql://127.0.0.1:1/none"] }),
  publish("@modelcontextprotocol/server-puppeteer"),
  publish("@playwright/mcp", {
    transports: ["stdio", "http", "sse"],
    args: ({ transport, port }) =>
      transport === "stdio" ? [] : ["--host", "127.0.0.1", "--port", String(port), "--allowed-hosts", "*"],
    path: (transport) => (transport === "sse" ? "/sse" : "/mcp"),
  }),
  publish("@executeautomation/playwright-mcp-server", {
    calls: [{ tool: "playwright_close", args: {}, text: "No browser instance to close" }],
  }),
  publish("chrome-devtools-mcp", { args: () => ["--no-usage-statistics"] }),
  publish("@upstash/context7-mcp", {
    transports: ["stdio", "http"],
    args: ({ transport, port }) => (transport === "stdio" ? [] : ["--transport", "http", "--port", String(port)]),
    path: () => "/mcp",
    calls: [{ tool: "resolve-library-id", args: { libraryName: "react", query: "hooks" }, text: FETCH_FAILED }],
  }),
  publish("figma-developer-mcp", {
    transports: ["stdio", "http"],
    args: ({ transport, port }) => [
      "--figma-api-key=none",
      ...(transport === "stdio" ? ["--stdio"] : ["--host=127.0.0.1", `--port=${port}`]),
    ],
    path: () => "/mcp",
    calls: [{ tool: "get_figma_data", args: { fileKey: "none" }, text: FETCH_FAILED, isError: true }],
  }),
  publish("firecrawl-mcp", {
    key: "FIRECRAWL_API_KEY",
    calls: [{ tool: "firecrawl_scrape", args: { url: "https://example.com" }, text: OFFLINE, isError: true }],
  }),
  publish("exa-mcp-server", {
    key: "EXA_API_KEY",
    calls: [{ tool: "web_search_exa", args: { query: "none" }, text: FETCH_FAILED, isError: true }],
  }),
  publish("tavily-mcp", {
    key: "TAVILY_API_KEY",
    calls: [{ tool: "tavily_search", args: { query: "none" }, text: OFFLINE, isError: true }],
  }),
  publish("@notionhq/notion-mcp-server", { key: "NOTION_TOKEN" }),
  publish("@hubspot/mcp-server", {
    key: "PRIVATE_APP_ACCESS_TOKEN",
    calls: [{ tool: "hubspot-get-user-details", args: {}, text: FETCH_FAILED, isError: true }],
  }),
  publish("@sentry/mcp-server", {
    args: () => ["--access-token=none"],
    calls: [{ tool: "search_sentry_tools", args: { query: "issues" }, text: "search_issues" }],
  }),
  publish("mcp-server-kubernetes", { calls: [{ tool: "ping", args: {}, text: "" }] }),
];

/** Our client with widely used servers, as they are published on npm. */
export const PUBLISHED: Matrix = {
  title: "Our client with published servers",
  head: "server",
  steps: SURVEY_STEPS,
  variants: BY_TRANSPORT,
  rows: rowPerPeer(servers, (server, transport) => ({ client: surveyor, server, transport })),
};

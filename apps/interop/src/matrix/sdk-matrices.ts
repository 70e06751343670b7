import { STEPS } from "../steps/run-steps.ts";
import { BY_TRANSPORT, rowPerPeer, type ClientPeer, type Limit, type Matrix, type ServerPeer } from "./cell.ts";
import { ALL_TRANSPORTS, ourClient, ourServer } from "./own-peers.ts";
import { versionOf } from "./versions.ts";

/** Limits of SDKs that were released before 2025-06-18. */
const OLD: readonly Limit[] = [
  { step: "structured", reason: "the SDK was released before structured results" },
  { step: "ask", reason: "the SDK was released before elicitation" },
];

/** Version 1 of the official SDK, from the first release to the last; Streamable HTTP came with 1.10. */
const V1 = [
  { sdk: "sdk-v1-1.0.4", hasHttp: false, isOld: true },
  { sdk: "sdk-v1-1.9.0", hasHttp: false, isOld: true },
  { sdk: "sdk-v1-1.12.3", hasHttp: true, isOld: true },
  { sdk: "sdk-v1-1.17.5", hasHttp: true, isOld: false },
  { sdk: "sdk-v1", hasHttp: true, isOld: false },
].map(({ sdk, hasHttp, isOld }) => ({
  title: `SDK v1 ${versionOf(sdk)}`,
  program: { file: "v1", sdk },
  hasHttp,
  limits: isOld ? OLD : [],
}));

const V2_CLIENT = `SDK v2 ${versionOf("@modelcontextprotocol/client")}`;

const clients: readonly ClientPeer[] = [
  ...V1.map(({ hasHttp, ...release }): ClientPeer => ({
    ...release,
    transports: hasHttp ? ALL_TRANSPORTS : ["stdio", "sse", "websocket"],
  })),
  { title: `${V2_CLIENT}, legacy`, program: { file: "v2" }, mode: "legacy", transports: ["stdio", "http", "sse"] },
  { title: `${V2_CLIENT}, auto`, program: { file: "v2" }, mode: "auto", transports: ["stdio", "http"] },
  { title: `${V2_CLIENT}, modern`, program: { file: "v2" }, mode: "2026-07-28", transports: ["stdio", "http"] },
  { ...ourClient, title: "Toolwire" },
  { ...ourClient, title: "Toolwire, legacy", mode: "legacy" },
];

const V2 = {
  title: `SDK v2 ${versionOf("@modelcontextprotocol/server")}`,
  program: { file: "v2" },
  transports: ["stdio", "http"],
} as const satisfies ServerPeer;
const MCP_LITE = {
  title: `mcp-lite ${versionOf("mcp-lite")}`,
  program: { file: "mcp-lite" },
  transports: ["http"],
  limits: [{ step: "cancel", reason: "mcp-lite does not tell tools that they were cancelled" }],
} as const satisfies ServerPeer;
const TMCP = {
  title: `tmcp ${versionOf("tmcp")}`,
  program: { file: "tmcp" },
  transports: ["stdio", "http"],
  limits: [
    { step: "cancel", transport: "stdio", reason: "tmcp does not tell tools that they were cancelled over stdio" },
  ],
} as const satisfies ServerPeer;

const servers: readonly ServerPeer[] = [
  ...V1.map(({ hasHttp, ...release }): ServerPeer => ({
    ...release,
    transports: hasHttp ? ["stdio", "http", "sse"] : ["stdio", "sse"],
  })),
  V2,
  {
    title: `server-everything ${versionOf("@modelcontextprotocol/server-everything")}`,
    program: { file: "everything" },
    script: "everything",
    transports: ["stdio", "http", "sse"],
  },
  { title: `fastmcp ${versionOf("fastmcp")}`, program: { file: "fastmcp" }, transports: ["stdio", "http", "sse"] },
  {
    ...MCP_LITE,
    limits: [
      ...MCP_LITE.limits,
      { step: "ask", reason: "mcp-lite offers 2025-03-26, which has no elicitation, unless 2025-06-18 is proposed" },
    ],
  },
  TMCP,
];

/** Servers that speak several revisions, asked for an older one. */
const olderServers: readonly { readonly server: ServerPeer; readonly mode: string }[] = [
  {
    server: {
      ...V2,
      limits: [{ step: "ask", transport: "http", reason: "SDK v2 has no sessions for older clients over HTTP" }],
    },
    mode: "legacy",
  },
  { server: MCP_LITE, mode: "2025-06-18" },
  {
    server: {
      ...TMCP,
      limits: [
        ...TMCP.limits,
        { step: "give up", transport: "stdio", reason: "tmcp handles requests of legacy clients one at a time" },
      ],
    },
    mode: "legacy",
  },
];

/** Our server with clients on other SDKs, and our client with servers on them. */
export const SDK_MATRICES: readonly Matrix[] = [
  {
    title: "Our server with their clients",
    head: "client",
    steps: STEPS,
    variants: BY_TRANSPORT,
    rows: rowPerPeer(clients, (client, transport) => ({ client, server: ourServer, transport })),
  },
  {
    title: "Our client with their servers",
    head: "server",
    steps: STEPS,
    variants: BY_TRANSPORT,
    rows: [
      ...rowPerPeer(servers, (server, transport) => ({ client: ourClient, server, transport })),
      ...olderServers.map(({ server, mode }) => ({
        title: `${server.title}, ${mode}`,
        cells: server.transports.map((transport) => ({ client: { ...ourClient, mode }, server, transport })),
      })),
    ],
  },
];

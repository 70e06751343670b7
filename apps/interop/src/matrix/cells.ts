import type { Transport } from "../clients/task.ts";
import type { Step } from "../steps/run-steps.ts";
import type { SCRIPTS } from "../steps/script.ts";
import { versionOf } from "./versions.ts";

/** One half of a pair. */
interface Peer {
  /** What it is called in the tables. */
  readonly title: string;
  /** Its program in `clients/` or `servers/`. */
  readonly program: string;
  /** The package of the SDK, where the program serves several versions of it. */
  readonly sdk?: string;
  readonly transports: readonly Transport[];
}

/** A client, and how it is told to choose a revision. */
interface ClientPeer extends Peer {
  readonly mode?: string;
}

/** A server, and what can be done with it. */
export interface ServerPeer extends Peer {
  readonly script?: keyof typeof SCRIPTS;
  readonly limits?: readonly Limit[];
}

/** Something that a server cannot do, and why. */
interface Limit {
  readonly step: Step;
  /** Absent: whatever the transport. */
  readonly transport?: Transport;
  readonly reason: string;
}

/** A client and a server, and what connects them. */
export interface Cell {
  readonly client: ClientPeer;
  readonly server: ServerPeer;
  readonly transport: Transport;
}

/** Clients against one server, or servers against one client: a table. */
export interface Matrix {
  readonly title: string;
  readonly head: string;
  /** The halves that vary, by row. */
  readonly rows: readonly { readonly title: string; readonly cells: readonly Cell[] }[];
}

const ALL: readonly Transport[] = ["stdio", "http", "sse", "websocket"];

const ourServer: ServerPeer = { title: "Toolwire", program: "toolwire", script: "toolwire", transports: ALL };
const ourClient: ClientPeer = { title: "Toolwire", program: "toolwire", transports: ALL };

/** Version 1 of the official SDK, from the first release to the last; Streamable HTTP came with 1.10. */
const V1 = [
  { sdk: "sdk-v1-1.0.4", hasHttp: false, canAsk: false },
  { sdk: "sdk-v1-1.9.0", hasHttp: false, canAsk: false },
  { sdk: "sdk-v1-1.12.3", hasHttp: true, canAsk: false },
  { sdk: "sdk-v1-1.17.5", hasHttp: true, canAsk: true },
  { sdk: "sdk-v1", hasHttp: true, canAsk: true },
].map((release) => ({ ...release, program: "v1", title: `SDK v1 ${versionOf(release.sdk)}` }));

const NO_ELICITATION: Limit = { step: "ask", reason: "the SDK was released before elicitation" };

const V2_CLIENT = `SDK v2 ${versionOf("@modelcontextprotocol/client")}`;

const clients: readonly ClientPeer[] = [
  ...V1.map(({ title, program, sdk, hasHttp }): ClientPeer => ({
    title,
    program,
    sdk,
    transports: hasHttp ? ALL : ["stdio", "sse", "websocket"],
  })),
  { title: `${V2_CLIENT}, legacy`, program: "v2", mode: "legacy", transports: ["stdio", "http", "sse"] },
  { title: `${V2_CLIENT}, auto`, program: "v2", mode: "auto", transports: ["stdio", "http"] },
  { title: `${V2_CLIENT}, modern`, program: "v2", mode: "2026-07-28", transports: ["stdio", "http"] },
  { ...ourClient, title: "Toolwire" },
  { ...ourClient, title: "Toolwire, legacy", mode: "legacy" },
];

const V2 = {
  title: `SDK v2 ${versionOf("@modelcontextprotocol/server")}`,
  program: "v2",
  transports: ["stdio", "http"],
} as const satisfies ServerPeer;
const MCP_LITE = {
  title: `mcp-lite ${versionOf("mcp-lite")}`,
  program: "mcp-lite",
  transports: ["http"],
  limits: [{ step: "cancel", reason: "mcp-lite does not tell tools that they were cancelled" }],
} as const satisfies ServerPeer;
const TMCP = {
  title: `tmcp ${versionOf("tmcp")}`,
  program: "tmcp",
  transports: ["stdio", "http"],
  limits: [
    { step: "cancel", transport: "stdio", reason: "tmcp does not tell tools that they were cancelled over stdio" },
  ],
} as const satisfies ServerPeer;

const servers: readonly ServerPeer[] = [
  ...V1.map(({ title, program, sdk, hasHttp, canAsk }): ServerPeer => ({
    title,
    program,
    sdk,
    transports: hasHttp ? ["stdio", "http", "sse"] : ["stdio", "sse"],
    limits: canAsk ? [] : [NO_ELICITATION],
  })),
  V2,
  {
    title: `server-everything ${versionOf("@modelcontextprotocol/server-everything")}`,
    program: "everything",
    script: "everything",
    transports: ["stdio", "http", "sse"],
  },
  { title: `fastmcp ${versionOf("fastmcp")}`, program: "fastmcp", transports: ["stdio", "http", "sse"] },
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
  { server: TMCP, mode: "legacy" },
];

/** All pairs. */
export const MATRICES: readonly Matrix[] = [
  {
    title: "Our server with their clients",
    head: "client",
    rows: clients.map((client) => ({
      title: client.title,
      cells: client.transports.map((transport) => ({ client, server: ourServer, transport })),
    })),
  },
  {
    title: "Our client with their servers",
    head: "server",
    rows: [
      ...servers.map((server) => ({ server, client: ourClient, title: server.title })),
      ...olderServers.map(({ server, mode }) => ({
        server,
        client: { ...ourClient, mode },
        title: `${server.title}, ${mode}`,
      })),
    ].map(({ server, client, title }) => ({
      title,
      cells: server.transports.map((transport) => ({ client, server, transport })),
    })),
  },
];

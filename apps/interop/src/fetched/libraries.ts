import { BY_TRANSPORT, rowPerPeer, type ClientPeer, type Limit, type Matrix, type ServerPeer } from "../matrix/cell.ts";
import { ourClient, ourServer } from "../matrix/own-peers.ts";
import { pinnedVersionOf } from "../matrix/versions.ts";
import { STEPS } from "../steps/run-steps.ts";

const library = (name: string, file: string, peer: Omit<ClientPeer, "title" | "program">): ClientPeer => ({
  ...peer,
  title: `${name} ${pinnedVersionOf(name)}${peer.mode === undefined ? "" : `, ${peer.mode}`}`,
  program: { file, isFetched: true },
});

const cannot = (name: string, steps: { readonly [step: string]: string }): readonly Limit[] =>
  Object.entries(steps).map(([step, what]) => ({ step, reason: `${name} ${what}` }));

const AI_SDK = cannot("@ai-sdk/mcp", { progress: "does not show progress" });
const TRANSPORTS = ["stdio", "http", "sse"] as const;

const clients: readonly ClientPeer[] = [
  library("@ai-sdk/mcp", "ai-sdk", { transports: TRANSPORTS, limits: AI_SDK }),
  library("@ai-sdk/mcp", "ai-sdk", { transports: ["stdio", "http"], limits: AI_SDK, mode: "legacy" }),
  library("@langchain/mcp-adapters", "langchain", {
    transports: TRANSPORTS,
    limits: cannot("@langchain/mcp-adapters", { ask: "does not answer questions" }),
  }),
  library("@openai/agents", "openai-agents", {
    transports: TRANSPORTS,
    limits: cannot("@openai/agents", {
      prompt: "does not get prompts",
      progress: "does not show progress",
      ask: "does not answer questions",
    }),
  }),
  library("@mastra/mcp", "mastra", { transports: ["stdio", "http"] }),
  library("@mastra/mcp", "mastra", {
    transports: ["stdio", "http"],
    mode: "legacy",
    limits: cannot("@mastra/mcp", { ask: "answers questions of 2026-07-28 alone" }),
  }),
  library("mcporter", "mcporter", {
    transports: TRANSPORTS,
    limits: [
      ...cannot("mcporter", {
        prompt: "does not get prompts",
        progress: "does not show progress",
        ask: "does not answer questions",
      }),
      {
        step: "cancel",
        transport: "stdio",
        reason: "mcporter has time limits instead of cancellation; when one is over, it starts the server anew",
      },
    ],
  }),
];

const mastra: ServerPeer = {
  title: `@mastra/mcp ${pinnedVersionOf("@mastra/mcp")}`,
  program: { file: "mastra", isFetched: true },
  transports: ["stdio", "http"],
};

/** Our server with clients on libraries for agents, and our client with a server on one. */
export const LIBRARIES: readonly Matrix[] = [
  {
    title: "Our server with libraries for agents",
    head: "client",
    steps: STEPS,
    variants: BY_TRANSPORT,
    rows: rowPerPeer(clients, (client, transport) => ({ client, server: ourServer, transport })),
  },
  {
    title: "Our client with libraries for agents",
    head: "server",
    steps: STEPS,
    variants: BY_TRANSPORT,
    rows: rowPerPeer([mastra], (server, transport) => ({ client: ourClient, server, transport })),
  },
];

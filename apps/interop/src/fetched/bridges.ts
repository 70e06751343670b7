import { ourClient, ourServer } from "../matrix/own-peers.ts";
import type { BridgePeer, ClientPeer, Matrix } from "../matrix/cell.ts";
import { pinnedVersionOf } from "../matrix/versions.ts";
import { STEPS } from "../steps/run-steps.ts";

const NAMES = { http: "HTTP", sse: "HTTP+SSE", websocket: "WebSocket" } as const;
const PATHS = { stdio: "", http: "/mcp", sse: "/sse", websocket: "/message" } as const;

/** Builds a title such as `supergateway 4.0.0, stateful, HTTP → stdio`. The client is on the left of the arrow. */
function nameBridge(name: string, kind: string, way: string): string {
  return [`${name} ${pinnedVersionOf(name)}`, ...(kind === "" ? [] : [kind]), way].join(", ");
}

function mcpRemote(kind: string, back: "http" | "sse", ...options: string[]): BridgePeer {
  return {
    title: nameBridge("mcp-remote", kind, `stdio → ${NAMES[back]}`),
    front: "stdio",
    back,
    script: "toolwire",
    program: {
      package: "mcp-remote",
      args: ({ url }) => [url, "--transport", `${back}-only`, "--silent", ...options],
    },
  };
}

function mcpProxy(kind: string, front: "http" | "sse", ...options: string[]): BridgePeer {
  return {
    title: nameBridge("mcp-proxy", kind, `${NAMES[front]} → stdio`),
    front,
    back: "stdio",
    script: "toolwire",
    program: {
      package: "mcp-proxy",
      path: (transport) => PATHS[transport],
      args: ({ port, command }) => ["--host", "127.0.0.1", "--port", String(port), ...options, "--", ...command],
    },
  };
}

/** supergateway runs the command of the server in a shell. */
function supergatewayToStdio(kind: string, front: "http" | "sse" | "websocket", ...options: string[]): BridgePeer {
  const output = { http: "streamableHttp", sse: "sse", websocket: "ws" }[front];
  return {
    title: nameBridge("supergateway", kind, `${NAMES[front]} → stdio`),
    front,
    back: "stdio",
    script: front === "http" ? "unpaced" : "toolwire",
    program: {
      package: "supergateway",
      path: (transport) => PATHS[transport],
      args: ({ port, command }) => [
        // In the form `--stdio=…`, its option parser strips the quotes.
        "--stdio",
        command.map((word) => `'${word}'`).join(" "),
        `--port=${port}`,
        `--outputTransport=${output}`,
        "--protocolVersion=2025-11-25",
        "--logLevel=none",
        ...options,
      ],
    },
  };
}

function supergatewayFromStdio(back: "http" | "sse"): BridgePeer {
  const input = { http: "streamableHttp", sse: "sse" }[back];
  return {
    title: nameBridge("supergateway", "", `stdio → ${NAMES[back]}`),
    front: "stdio",
    back,
    script: "unpaced",
    program: {
      package: "supergateway",
      args: ({ url }) => [`--${input}=${url}`, "--outputTransport=stdio", "--logLevel=none"],
    },
  };
}

const bridges: readonly BridgePeer[] = [
  mcpRemote("", "http"),
  mcpRemote("modern", "http", "--protocol", "auto"),
  mcpRemote("", "sse"),
  mcpProxy("", "http"),
  mcpProxy("modern", "http", "--upstreamProtocol", "auto"),
  mcpProxy("", "sse"),
  supergatewayToStdio("", "sse"),
  supergatewayToStdio("stateless", "http"),
  supergatewayToStdio("stateful", "http", "--stateful"),
  supergatewayToStdio("", "websocket"),
  supergatewayFromStdio("http"),
  supergatewayFromStdio("sse"),
];

/** Our client with its defaults, and limited to the legacy era. */
const clients: readonly ClientPeer[] = [ourClient, { ...ourClient, mode: "legacy" }];

/** Our client in front of bridges, and our server behind them. */
export const BRIDGES: Matrix = {
  title: "Bridges between our client and our server",
  head: "bridge",
  steps: STEPS,
  variants: { head: "client", titles: ["any era", "legacy"], titleOf: ({ client }) => client.mode ?? "any era" },
  rows: bridges.map((bridge) => ({
    title: bridge.title,
    cells: clients.map((client) => ({
      client,
      bridge,
      server: { ...ourServer, script: bridge.script },
      transport: bridge.front,
    })),
  })),
};

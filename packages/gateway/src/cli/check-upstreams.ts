import type { UpstreamConfig } from "../config/config.ts";
import type { ConfigPath, ConfigProblem } from "../config/problem.ts";
import type { Gateway, GatewayServer } from "../gateway.ts";
import { checkNames, checkPatterns, fault } from "../servers/check-contents.ts";
import type { Upstream } from "../upstreams/upstream.ts";

/** How many characters are shown of the reason why an upstream cannot be used. */
const MOST_OF_REASON = 400;

/** Connects to the upstreams of all servers, and finds what shows only then. */
export async function connectUpstreams(gateway: Gateway): Promise<readonly ConfigProblem[]> {
  return (await Promise.all(gateway.servers().map(connectServer))).flat();
}

async function connectServer(server: GatewayServer): Promise<readonly ConfigProblem[]> {
  const { slug, config, upstreams } = server;
  if (upstreams.length === 0) return [];
  const problems = (await Promise.all(upstreams.map((upstream) => connect(slug, upstream)))).flat();
  // Without the tools of one, nobody knows what the rules of the server fit.
  if (problems.length > 0) return problems;
  const names = server.tools.map(({ listing }) => listing.name);
  return [
    ...checkNames(slug, config, names),
    ...upstreams.flatMap(({ name, config: { prefix = "", tools } }) => {
      const start = prefix === "" ? "" : `${prefix}_`;
      const own = names.filter((each) => each.startsWith(start)).map((each) => each.slice(start.length));
      return checkPatterns(tools?.include ?? [], own, ["servers", slug, "upstreams", name, "tools", "include"]);
    }),
    ...upstreams.flatMap((upstream) =>
      upstream.status().problems.map((message): ConfigProblem => ({
        severity: "warning",
        path: ["servers", slug, "upstreams", upstream.name],
        message,
      })),
    ),
  ];
}

async function connect(slug: string, upstream: Upstream): Promise<readonly ConfigProblem[]> {
  const path: ConfigPath = ["servers", slug, "upstreams", upstream.name];
  const obstacle = findObstacle(upstream.config);
  if (obstacle !== undefined) return [{ severity: "warning", path, message: `It was not connected: ${obstacle}.` }];
  await upstream.ready();
  const { state, error = "no reason is known" } = upstream.status();
  return state === "failed" ? [fault(path, `It cannot be used: ${shorten(error)}`)] : [];
}

/** A program that ends may have written a lot. */
function shorten(text: string): string {
  return text.length > MOST_OF_REASON ? `${text.slice(0, MOST_OF_REASON)}…` : text;
}

/** Why a check cannot connect to an upstream as the gateway will. */
function findObstacle(config: UpstreamConfig): string | undefined {
  if (config.perUser === true) return "each caller has a connection of their own";
  if (config.auth !== undefined && "oauth" in config.auth) return "somebody has to log in first";
  return JSON.stringify(config).includes("${secret:") ? "its secrets are known to the gateway alone" : undefined;
}

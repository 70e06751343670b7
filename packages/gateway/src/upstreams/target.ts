import { resolve as resolvePath } from "node:path";
import type { CommandTarget, ConnectOptions } from "@toolwire/client";
import { UsageError } from "@toolwire/server";
import type { UpstreamConfig } from "../config/config.ts";
import type { UpstreamKind, UpstreamOptions } from "./upstream.ts";

/** Finds out how an upstream is reached. Throws a `UsageError` if the configuration does not say. */
export function kindOf(name: string, { command, url }: UpstreamConfig): UpstreamKind {
  if ((command === undefined) === (url === undefined)) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The upstream ${name} needs either a \`command\` to start or the \`url\` of a server.`,
    );
  }
  if (url === undefined) return "stdio";
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol === "http:" || protocol === "https:") return "http";
  if (protocol === "ws:" || protocol === "wss:") return "websocket";
  throw new UsageError(
    "INVALID_ARGUMENT",
    `The \`url\` of the upstream ${name} must begin with http:, https:, ws: or wss:.`,
  );
}

/** The arguments of `connect()` that say where a server is. */
export interface ResolvedTarget {
  readonly target: string | CommandTarget;
  readonly options: Pick<ConnectOptions, "http" | "websocket">;
}

/**
 * Fills in the credentials of an upstream: those of a principal, or shared ones. A child process gets the configured variables
 * and what the client passes by default, `PATH`, `HOME` and the like: nothing else of the gateway's environment.
 */
export async function resolveTarget(
  config: UpstreamConfig,
  options: UpstreamOptions,
  principal: string | undefined,
  onStderr: (text: string) => void,
): Promise<ResolvedTarget> {
  const { command, args, cwd, url } = config;
  if (url === undefined) {
    const env = await fillIn(config.env, options, principal);
    const folder = options.folder ?? process.cwd();
    const place = cwd === undefined ? options.folder : resolvePath(folder, cwd);
    const target = { command: command as string, args, env, ...(place !== undefined && { cwd: place }) };
    return { target: { ...target, stderr: onStderr }, options: {} };
  }
  const headers = await fillIn(config.headers, options, principal);
  const { connect } = options;
  const transport = { headers, ...(connect !== undefined && { connect }) };
  return { target: url, options: { http: transport, websocket: transport } };
}

async function fillIn(
  texts: { readonly [name: string]: string } | undefined,
  options: UpstreamOptions,
  principal: string | undefined,
): Promise<Record<string, string>> {
  const filled: Record<string, string> = {};
  for (const [name, text] of Object.entries(texts ?? {})) filled[name] = await options.resolve(text, principal);
  return filled;
}

import type { ServerConfig } from "../config/config.ts";
import type { ServerContents } from "./server-contents.ts";
import type { ServerHost } from "./server-host.ts";

/** Whether a server may ever have tools. One that cannot does not know `tools/call`. */
export function offersTools({ tools, openapi, upstreams }: ServerConfig): boolean {
  return [tools, upstreams].some((named) => Object.keys(named ?? {}).length > 0) || openapi !== undefined;
}

/** Everything about a server that cannot be changed while it runs. */
export function frameOf({ slug, config }: ServerContents, host: ServerHost): string {
  const { title, description, instructions, unknownTool, upstreams, mode, auth, sessions, overrides } = config;
  const texts = Object.entries(overrides ?? {}).map(([name, override]) => [name, override.title, override.description]);
  const frame = { title, description, instructions, unknownTool, upstreams, mode, auth, sessions, texts };
  const { authenticate, auth: tokens, ...http } = host.httpOptions(slug, config);
  const scopes = Object.entries({ ...config.tools, ...overrides }).map(([name, each]) => [name, each.scopes]);
  return JSON.stringify([frame, offersTools(config), http, authenticate !== undefined, tokens?.metadata, scopes]);
}

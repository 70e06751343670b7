import { checkGateway } from "./gateway.ts";
import { checkServer } from "./server.ts";
import { Checks } from "./checks.ts";
import type { GatewayConfig, ServerConfig } from "../config.ts";
import type { ConfigPath, ConfigProblem } from "../problem.ts";
import type { ReferenceSources } from "../references.ts";

/** Checks the meaning of a configuration whose form is right: references, URLs, durations, names of credentials, schemas. */
export function checkMeaning(config: GatewayConfig, sources: ReferenceSources): readonly ConfigProblem[] {
  const checks = Checks.of(config, sources);
  checkGateway(config, checks);
  for (const [slug, server] of Object.entries(config.servers ?? {})) checkServer(server, ["servers", slug], checks);
  return checks.problems;
}

/** Checks the meaning of one server whose form is right, as a part of the configuration of a gateway. */
export function checkServerMeaning(
  server: ServerConfig,
  path: ConfigPath,
  sources: ReferenceSources,
  gateway: GatewayConfig,
): readonly ConfigProblem[] {
  const checks = Checks.of(gateway, sources);
  checkServer(server, path, checks);
  return checks.problems;
}

import { stringify } from "yaml";
import type { ServerConfig } from "../config/config.ts";
import { redactConfig } from "./redact-config.ts";

/** Documents beyond this length are left out: nobody reads them here, and writing them would hold up calls. */
const MAX_DOCUMENT = 64 * 1024;

/** Writes a server as a configuration file has it below `servers`, without secrets. */
export function writeServerYaml(slug: string, config: ServerConfig): string {
  const { openapi } = config;
  const isLong = typeof openapi?.document === "object" && JSON.stringify(openapi.document).length > MAX_DOCUMENT;
  const shown = isLong ? { ...config, openapi: { ...openapi, document: {} } } : config;
  const yaml = stringify({ [slug]: redactConfig(shown) }, { lineWidth: 120 });
  return isLong
    ? `# The imported document is left out: it is long. GET /api/v1/servers/${slug} has it.\n${yaml}`
    : yaml;
}

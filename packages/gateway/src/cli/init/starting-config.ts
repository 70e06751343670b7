import { stringify } from "yaml";

/** What a new configuration serves. */
export interface StartingConfig {
  readonly slug: string;
  readonly server: object;
  /** What is said above the server. */
  readonly comment: string;
  readonly port: number;
  /** Whether callers need a key, also on this machine. */
  readonly needsKeys: boolean;
}

/** A tool that works at once, without a key: an example to copy from. */
export const EXAMPLE_SERVER: object = {
  title: "Weather",
  tools: {
    get_weather: {
      description: "Current weather of a city",
      request: { method: "GET", url: "https://wttr.in/{city}?format=j1" },
      input: {
        type: "object",
        properties: { city: { type: "string", minLength: 1, description: "Name of the city" } },
        required: ["city"],
      },
    },
  },
};

/** Writes a configuration with a comment for each part that a beginner may want to change. */
export function writeStartingConfig({ slug, server, comment, port, needsKeys }: StartingConfig): string {
  const auth = needsKeys
    ? "    # Callers need a key: toolwire-gateway key create NAME\n    auth: { apiKeys: true }\n"
    : "    # Everybody on this machine may call. `auth: { apiKeys: true }` asks for keys.\n";
  return `# The configuration of a Toolwire gateway.
#   toolwire-gateway check FILE   names every mistake, or lists what is served
#   toolwire-gateway serve FILE   serves it; changes of this file take effect at once
# Editors check it with this line, where the package is installed:
# yaml-language-server: $schema=./node_modules/@toolwire/gateway/gateway.schema.json
version: 1

# Clients connect to http://127.0.0.1:${port}/mcp/${slug}, from this machine only.
listen: { host: 127.0.0.1, port: ${port} }

# The call log, keys and secrets are kept in the folder data, beside this file.
analytics: { store: pglite, path: data }

servers:
  # ${comment}
  ${slug}:
${auth}${indent(stringify(server, { lineWidth: 0 }))}`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "    ");
}

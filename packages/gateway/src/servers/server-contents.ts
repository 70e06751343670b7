import type { Tool } from "@toolwire/server";
import type { ServerConfig, ToolOverrideConfig } from "../config/config.ts";
import { type ConfigProblem, writeConfigPath } from "../config/problem.ts";
import type { ToolRoute } from "../routes/tool-route.ts";
import type { PreparedCredential } from "./credentials.ts";
import { describeLeftOut, type LeftOut } from "./left-out.ts";
import type { ServerHost } from "./server-host.ts";

/** A tool that is made from a configuration, ready to be offered. */
export interface BuiltTool {
  readonly name: string;
  readonly route: ToolRoute;
  /** Changes if anything about the tool does: its request, its schema, its credential. Equal tools need not be replaced. */
  readonly fingerprint: string;
}

/** Everything that a server's configuration says, made ready. Tools of upstreams come later, as they connect. */
export interface ServerContents {
  readonly slug: string;
  readonly config: ServerConfig;
  readonly isFromFile: boolean;
  readonly tools: readonly BuiltTool[];
  readonly credentials: readonly PreparedCredential[];
  /** Problems that do not keep the server from running: a rule that fits no tool, a document that cannot be fetched. */
  readonly problems: readonly ConfigProblem[];
  /** The operations of its document that are no tools. */
  readonly leftOut: readonly LeftOut[];
  /** Whether something could not be fetched, so that it should be tried again. */
  readonly isIncomplete: boolean;
}

/** The problems of a server as people read them, with their places below it. What is left out by choice is none. */
export function describeContents({
  problems,
  leftOut,
}: Pick<ServerContents, "problems" | "leftOut">): readonly string[] {
  return [
    ...problems.map(({ path, message }) => [writeConfigPath(path.slice(2)), message].filter(Boolean).join(": ")),
    ...leftOut.filter(({ kind }) => kind === "problem").map(describeLeftOut),
  ];
}

/** A tool as clients list it. */
export function listingOf(name: string, route: ToolRoute): Tool {
  const { title, description, shown, output, annotations } = route;
  const input = shown?.schema ?? route.input;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    // The SDK lists `properties` in any case.
    inputSchema: { ...input, type: "object", properties: input["properties"] ?? {} },
    ...(output !== undefined && { outputSchema: output }),
    ...(annotations !== undefined && { annotations }),
  };
}

/** The changes to a tool that a configuration has under its name, or else under the id of its operation. */
export function overrideOf(
  { overrides = {} }: ServerConfig,
  name: string,
  operationId: string | undefined,
): ToolOverrideConfig | undefined {
  if (Object.hasOwn(overrides, name)) return overrides[name];
  return operationId !== undefined && Object.hasOwn(overrides, operationId) ? overrides[operationId] : undefined;
}

/** Whether a server may ever have tools. One that cannot does not know `tools/call`. */
export function offersTools({ tools, openapi, upstreams }: ServerConfig): boolean {
  return [tools, upstreams].some((named) => Object.keys(named ?? {}).length > 0) || openapi !== undefined;
}

/** The parts of a server that cannot be changed while it runs, as one text. If it changes, the server is made anew. */
export function fixedPartsOf({ slug, config }: ServerContents, host: ServerHost): string {
  const { title, description, instructions, unknownTool, upstreams, mode, schemas, auth, sessions, overrides, groups } =
    config;
  const texts = Object.entries(overrides ?? {}).map(([name, override]) => [name, override.title, override.description]);
  const fixed = {
    title,
    description,
    instructions,
    unknownTool,
    upstreams,
    mode,
    schemas,
    auth,
    sessions,
    groups,
    texts,
  };
  // The cluster is the same for as long as the gateway runs.
  const { authenticate, auth: tokens, cluster: _cluster, ...http } = host.httpOptions(slug, config);
  const scopes = Object.entries({ ...config.tools, ...overrides }).flatMap(([name, each]) =>
    // A tool without scopes can come and go while the server runs.
    each.scopes === undefined ? [] : [[name, each.scopes]],
  );
  const card = host.planCard(slug, config);
  return JSON.stringify([fixed, card, offersTools(config), http, authenticate !== undefined, tokens?.metadata, scopes]);
}

import type { Tool } from "@toolwire/server";
import type { ServerConfig } from "../config/config.ts";
import type { ToolRoute } from "../routes/tool-route.ts";
import type { PreparedCredential } from "./credentials.ts";

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
  /** Problems that do not keep the server from running: a skipped operation, a document that cannot be fetched. */
  readonly problems: readonly string[];
  /** Whether something could not be fetched, so that it should be tried again. */
  readonly isIncomplete: boolean;
}

/** A tool as clients list it. */
export function listingOf(name: string, route: ToolRoute): Tool {
  const { title, description, input, output, annotations } = route;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: { ...input, type: "object" },
    ...(output !== undefined && { outputSchema: output }),
    ...(annotations !== undefined && { annotations }),
  };
}

import { isObject } from "@toolwire/protocol/internal";
import type { ConfigProblem } from "../problem.ts";

/**
 * Recognises the files in which applications list MCP servers: `mcpServers` as in Claude and Cursor, `servers` as in VS Code.
 * They are no configuration of a gateway, and to name all their members as unknown would not help.
 */
export function findClientFile(value: unknown, file = "FILE"): ConfigProblem | undefined {
  if (!isObject(value)) return undefined;
  const member = isObject(value["mcpServers"]) ? "mcpServers" : isServersOfEditor(value) ? "servers" : undefined;
  if (member === undefined) return undefined;
  const name = /^[\w./\\:-]+$/.test(file) ? file : JSON.stringify(file);
  return {
    severity: "error",
    path: [member],
    message:
      `This file lists MCP servers for an application, such as Claude, Cursor or VS Code. ` +
      `Make a configuration of the gateway of it: \`toolwire-gateway import ${name}\`.`,
  };
}

/** Servers of the gateway have no command and no URL of their own. */
function isServersOfEditor({ version, servers }: Record<string, unknown>): boolean {
  if (version !== undefined || !isObject(servers)) return false;
  const entries = Object.values(servers);
  return entries.length > 0 && entries.every((entry) => isObject(entry) && ("command" in entry || "url" in entry));
}

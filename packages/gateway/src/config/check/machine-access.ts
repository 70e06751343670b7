import { isObject } from "@toolwire/protocol/internal";
import type { GatewayConfig, ServerConfig } from "../config.ts";
import type { ConfigPath, ConfigProblem } from "../problem.ts";
import { parseReferences } from "../references.ts";

/** Members whose texts nobody fills in: prose, schemas and rules. */
const PLAIN_OF_SERVER: ReadonlySet<unknown> = new Set(["title", "description", "instructions", "overrides", "access"]);
const PLAIN_OF_TOOL: ReadonlySet<unknown> = new Set(["title", "description", "input"]);

const ADVICE =
  "Write it in the configuration file, or set `admin: { machineAccess: true }` there if admins may do what the gateway's user may.";

/** Whether servers that are made through the admin API can use the machine of the gateway. */
export function allowsMachineAccess({ admin }: GatewayConfig): boolean {
  return admin !== undefined && admin !== false && admin.machineAccess === true;
}

/**
 * Finds everything in a server that uses the machine of the gateway: programs, environment variables, files, and private
 * addresses. Admins are not always those who operate the machine, so a server that is made through the admin API has none of it
 * unless the configuration file says so.
 */
export function listMachineUses(
  server: ServerConfig,
  path: ConfigPath,
  gateway: Pick<GatewayConfig, "network">,
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const refuse = (place: ConfigPath, message: string): void => {
    problems.push({ severity: "error", path: place, message: `${message} ${ADVICE}` });
  };
  for (const [name, { command }] of Object.entries(server.upstreams ?? {})) {
    if (command === undefined) continue;
    refuse([...path, "upstreams", name, "command"], "A server that is made here starts no program on the machine.");
  }
  const document = server.openapi?.document;
  if (typeof document === "string" && !/^https?:/i.test(document)) {
    refuse([...path, "openapi", "document"], "A server that is made here reads no file of the machine.");
  }
  for (const [index, address] of (server.network?.allow ?? []).entries()) {
    if (gateway.network?.allow?.includes(address) === true) continue;
    const place = [...path, "network", "allow", index];
    refuse(place, "A server that is made here reaches no addresses that the gateway does not reach.");
  }
  findReferences(server, path, refuse);
  return problems;
}

function findReferences(value: unknown, path: ConfigPath, refuse: (place: ConfigPath, message: string) => void): void {
  if (typeof value === "string") {
    const parts = parseReferences(value);
    const kinds = typeof parts === "string" ? [] : parts.map(({ kind }) => kind);
    if (kinds.includes("env")) refuse(path, "A server that is made here reads no environment variable.");
    if (kinds.includes("file")) refuse(path, "A server that is made here reads no file of the machine.");
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) findReferences(item, [...path, index], refuse);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const place = [...path, name];
    if (!isPlain(place, member)) findReferences(member, place, refuse);
  }
}

/** Paths begin with `servers` and the slug. Elsewhere, a name says nothing: a header can be called `title`. */
function isPlain(path: ConfigPath, value: unknown): boolean {
  const [, , part, , member] = path;
  if (path.length === 3) return PLAIN_OF_SERVER.has(part);
  if (path.length === 4) return part === "openapi" && path[3] === "document" && typeof value !== "string";
  return path.length === 5 && part === "tools" && PLAIN_OF_TOOL.has(member);
}

import { isObject } from "@toolwire/protocol/internal";
import type { GatewayConfig, ServerConfig } from "../config.ts";
import { type ConfigPath, type ConfigProblem, isFatal } from "../problem.ts";

/** The parts of a configuration that are in order, so that they can be checked further although others are not. */
export interface SoundParts {
  readonly config: GatewayConfig;
  /** Servers that lack a source of tools, because it has mistakes. Nobody knows what is not one of their tools. */
  readonly partial: ReadonlySet<string>;
}

/** A part of a server that is by name, and what stands for one of it that has mistakes. */
const STAND_INS: { readonly [part: string]: (original: unknown) => object } = {
  tools: (original) => {
    const { credential } = Object(original) as { readonly credential?: unknown };
    const isRead = credential === undefined || typeof credential === "string";
    return {
      description: "-",
      request: { method: "GET", url: "https://example.com/" },
      ...(credential !== undefined && { credential: isRead ? credential : "none" }),
    };
  },
  credentials: () => ({ none: true }),
  upstreams: () => ({ url: "https://example.com/" }),
  overrides: () => ({}),
};

/** An object of a copy, which may be changed. */
type Members = Record<string, unknown>;

/** Stands for rules about addresses that have mistakes: nobody knows what they were to refuse. */
const EVERYTHING_ALLOWED = { allow: ["0.0.0.0/0", "::/0"] };

const SOME_URL = "https://example.com";

/**
 * Takes the parts that have errors out of a configuration. Where other parts may refer to one, something harmless stands in its
 * place, so that one mistake is not reported twice.
 */
export function withoutMistakes(value: unknown, problems: readonly ConfigProblem[]): SoundParts {
  const partial = new Set<string>();
  if (!isObject(value)) return { config: { version: 1 }, partial };
  const copy = structuredClone(value) as Members;
  for (const problem of problems) {
    if (!isFatal(problem)) continue;
    const [top, slug, ...rest] = problem.path;
    if (top !== "servers") mendTop(copy, problem.path);
    else if (slug === undefined) Reflect.deleteProperty(copy, "servers");
    else mendServer(copy["servers"], String(slug), rest, partial);
  }
  return { config: { ...copy, version: 1 }, partial };
}

function mendTop(root: Members, [top, member]: ConfigPath): void {
  if (top === undefined) return;
  const part = root[top];
  if (top === "network") root[top] = EVERYTHING_ALLOWED;
  else if (!isObject(part) || member === undefined) Reflect.deleteProperty(root, top);
  else Reflect.deleteProperty(part, member);
  // What needs a public URL does not lack one that is misspelt.
  if (top === "listen") root[top] = { publicUrl: SOME_URL, ...(root[top] as object) };
}

function mendServer(servers: unknown, slug: string, path: ConfigPath, partial: Set<string>): void {
  if (!isObject(servers)) return;
  const server = servers[slug] as Members;
  const [part, name] = path;
  if (!isObject(server)) Reflect.deleteProperty(servers, slug);
  else if (part === "network") server[part] = EVERYTHING_ALLOWED;
  else if (part !== undefined) {
    const standIn = STAND_INS[part];
    const named = server[part];
    if (standIn !== undefined && name !== undefined && isObject(named)) (named as Members)[name] = standIn(named[name]);
    else {
      if (mayHaveTools(part, server)) partial.add(slug);
      Reflect.deleteProperty(server, part);
      if (part === "auth") forgetScopes(server);
    }
  }
}

/** Members of a server that no tool comes from. */
const WITHOUT_TOOLS: ReadonlySet<string | number> = new Set<keyof ServerConfig>([
  "status",
  "title",
  "description",
  "instructions",
  "auth",
  "limits",
  "access",
  "overrides",
  "credentials",
  "network",
  "forwardHeaders",
  "mode",
  "schemas",
  "sessions",
  "capture",
  "unknownTool",
]);

/** Whether a member may be meant as a source of tools. One with an unknown name may be a misspelt `tools`. */
function mayHaveTools(part: string | number, server: Members): boolean {
  if (WITHOUT_TOOLS.has(part)) return false;
  return part === "tools" || part === "openapi" || part === "upstreams" || isObject(server[part]);
}

/** Only tokens have scopes, and whether a server takes tokens is not known. */
function forgetScopes({ tools, overrides, access }: Members): void {
  const parts = [tools, overrides, access].flatMap((named) => Object.values(Object(named) as object) as unknown[]);
  for (const part of parts.filter(isObject)) Reflect.deleteProperty(part, "scopes");
}

import type { ServerConfig } from "../../config/config.ts";
import type { Gateway } from "../../gateway.ts";
import { notFound } from "../http/admin-error.ts";
import type { AdminRequest, JsonBody } from "../http/request.ts";
import type { Route } from "../http/router.ts";
import { findServer, readSlug, writeServer } from "./servers.ts";

/** A part of a server that is defined by hand: one by one, by name. */
interface DefinedPart {
  readonly member: "tools" | "upstreams";
  /** For the audit log. */
  readonly name: string;
  /** Why there may be none of a name although the server shows one. */
  readonly hint: string;
}

const PARTS: readonly DefinedPart[] = [
  { member: "tools", name: "tool", hint: "Tools of documents and upstreams are changed there, or made drafts." },
  { member: "upstreams", name: "upstream", hint: "" },
];

/** `servers/{slug}/tools/{name}` and `servers/{slug}/upstreams/{name}`: what is defined by hand is written and removed. */
export function definitionRoutes(gateway: Gateway): readonly Route[] {
  return PARTS.flatMap((part): readonly Route[] => [
    {
      method: "PUT",
      path: `servers/:slug/${part.member}/:name`,
      run: async (request) => {
        const server = findServer(gateway, readSlug(request));
        const definition = await request.readBody();
        const change = (current: ServerConfig | undefined): JsonBody => ({
          ...current,
          [part.member]: { ...current?.[part.member], [nameIn(request)]: definition },
        });
        return writeServer(gateway, request, server.slug, change, `${part.name}.put`);
      },
    },
    {
      method: "DELETE",
      path: `servers/:slug/${part.member}/:name`,
      run: (request) => {
        const server = findServer(gateway, readSlug(request));
        const change = (current: ServerConfig | undefined): JsonBody => without(current ?? {}, part, nameIn(request));
        return writeServer(gateway, request, server.slug, change, `${part.name}.remove`);
      },
    },
  ]);
}

function nameIn({ params }: AdminRequest): string {
  return params["name"] ?? "";
}

/** What was changed of a tool goes with it: another tool of the same name starts afresh. */
function without(config: ServerConfig, { member, name: kind, hint }: DefinedPart, name: string): JsonBody {
  const defined = config[member] ?? {};
  if (!Object.hasOwn(defined, name)) {
    throw notFound(`This server defines no ${kind} ${JSON.stringify(name.slice(0, 128))} by hand. ${hint}`.trim());
  }
  const { overrides, [member]: _, ...others } = config;
  const left = omit(defined, name);
  const kept = member === "tools" && overrides !== undefined ? omit(overrides, name) : overrides;
  return {
    ...others,
    ...(Object.keys(left).length === 0 ? {} : { [member]: left }),
    ...(kept === undefined || Object.keys(kept).length === 0 ? {} : { overrides: kept }),
  };
}

function omit(named: object, name: string): JsonBody {
  return Object.fromEntries(Object.entries(named).filter(([each]) => each !== name));
}

import { UsageError } from "@toolwire/protocol";
import type { ServerConfig } from "../../config/config.ts";
import type { Gateway, GatewayServer } from "../../gateway.ts";
import { AdminError, invalid, notFound } from "../http/admin-error.ts";
import { changedMeanwhile, readRevision } from "../http/precondition.ts";
import { digest, EMPTY, type Reply } from "../http/reply.ts";
import { isObject, type AdminRequest, type JsonBody } from "../http/request.ts";
import { suggest } from "../http/suggest.ts";
import type { Route } from "../http/router.ts";
import { restoreHidden } from "../redact-config.ts";
import { revisionOf, summarize, viewServer } from "../server-views.ts";
import { writeServerYaml } from "../server-yaml.ts";
import type { ServerSummary, ServerYamlView } from "../views.ts";

/** Servers may have an imported document in them. */
const MAX_SERVER_BYTES = 24 * 1024 * 1024;

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** `servers`: list, read, write, change and remove servers. */
export function serverRoutes(gateway: Gateway): readonly Route[] {
  return [
    {
      method: "GET",
      path: "servers",
      run: () => {
        const servers: readonly ServerSummary[] = gateway.servers().map((server) => summarize(gateway, server));
        return { json: { servers } };
      },
    },
    {
      method: "GET",
      path: "servers/:slug",
      run: async ({ params }) => replyWithServer(gateway, await findReadyServer(gateway, params["slug"])),
    },
    {
      method: "GET",
      path: "servers/:slug/yaml",
      run: ({ params }) => {
        const { slug, config } = findServer(gateway, params["slug"]);
        const view: ServerYamlView = { yaml: writeServerYaml(slug, config) };
        return { json: view };
      },
    },
    {
      method: "PUT",
      path: "servers/:slug",
      run: async (request) => {
        const slug = readSlug(request);
        const config = await request.readBody(MAX_SERVER_BYTES);
        return writeServer(gateway, request, slug, () => config);
      },
    },
    {
      method: "PATCH",
      path: "servers/:slug",
      run: async (request) => {
        const server = findServer(gateway, readSlug(request));
        const patch = await request.readBody(MAX_SERVER_BYTES);
        return writeServer(gateway, request, server.slug, (current) => mergePatch(current, patch) as JsonBody);
      },
    },
    {
      method: "DELETE",
      path: "servers/:slug",
      run: async (request) => {
        const slug = readSlug(request);
        const server = gateway.server(slug);
        // One that is stored and cannot be served can be removed as well.
        if (server !== undefined) requireChangeable(server);
        const revision = readRevision(request.headers, revisionOf(gateway, slug));
        const isRemoved = await refusingRaces(gateway, slug, revision, () => gateway.removeServer(slug, revision));
        if (!isRemoved) throw notFound(describeMissing(gateway, slug));
        await gateway.storage.audit.add({ actor: request.actor, action: "server.remove", subject: slug });
        return EMPTY;
      },
    },
  ];
}

/** Finds a server by its slug. */
export function findServer(gateway: Gateway, slug: string | undefined): GatewayServer {
  const server = slug === undefined ? undefined : gateway.server(slug);
  if (server === undefined) throw notFound(describeMissing(gateway, slug ?? ""));
  return server;
}

/** Says that there is no server of this slug, and which one may be meant. */
export function describeMissing(gateway: Gateway, slug: string): string {
  const slugs = gateway.servers().map((server) => server.slug);
  return `There is no server ${JSON.stringify(slug.slice(0, 64))}.${suggest(slug, slugs)}`;
}

/** Finds a server, and waits a few seconds for the tools of its upstreams, which connect when somebody asks for them. */
export async function findReadyServer(gateway: Gateway, slug: string | undefined): Promise<GatewayServer> {
  const server = findServer(gateway, slug);
  const shared = server.upstreams.filter(({ config }) => config.perUser !== true);
  await Promise.all(shared.map((upstream) => upstream.ready()));
  return server;
}

/** The slug in the path of a request, for a server that need not exist yet. */
export function readSlug({ params }: AdminRequest): string {
  const slug = params["slug"] ?? "";
  if (!SLUG.test(slug)) {
    throw invalid(
      "The slug of a server has 1 to 64 lower-case letters, digits and hyphens, and neither begins nor ends with a hyphen.",
    );
  }
  return slug;
}

/** Writes a server whose new configuration is made of the present one, and answers with it. */
export async function writeServer(
  gateway: Gateway,
  request: AdminRequest,
  slug: string,
  change: (current: ServerConfig | undefined) => JsonBody,
  action = "server.put",
): Promise<Reply> {
  const before = gateway.server(slug);
  if (before !== undefined) requireChangeable(before);
  const stored = gateway.storage.servers.list().find((each) => each.slug === slug);
  const revision = readRevision(request.headers, stored?.revision);
  const config = restoreHidden(change(stored?.config), stored?.config);
  await refusingRaces(gateway, slug, revision, () => gateway.putServer(slug, config, revision));
  await gateway.storage.audit.add({ actor: request.actor, action, subject: slug });
  return replyWithServer(gateway, findServer(gateway, slug), stored === undefined ? 201 : 200);
}

function replyWithServer(gateway: Gateway, server: GatewayServer, status = 200): Reply {
  const view = viewServer(gateway, server);
  // The tag begins with the revision, so that it can be sent back as `If-Match`.
  const etag = `"${view.revision ?? 0}-${digest(JSON.stringify(view))}"`;
  return { status, json: view, headers: { etag } };
}

/** Refuses changes of servers that the configuration file defines. */
export function requireChangeable(server: GatewayServer): void {
  if (!server.isFromFile) return;
  throw new AdminError(
    409,
    "from_file",
    `The server ${JSON.stringify(server.slug)} comes from the configuration file. Change it there; the gateway notices.`,
  );
}

/** Runs a change. If it fails because somebody else has changed the server meanwhile, that is what the caller is told. */
async function refusingRaces<T>(gateway: Gateway, slug: string, revision: number, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const current = revisionOf(gateway, slug);
    if (error instanceof UsageError && (current ?? 0) !== revision) throw changedMeanwhile(current);
    throw error;
  }
}

/** Merges a change into a value: members are replaced, `null` removes one (RFC 7396). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

import type { Gateway } from "../../gateway.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import { notFound } from "../http/admin-error.ts";
import { EMPTY } from "../http/reply.ts";
import type { AdminRequest } from "../http/request.ts";
import { suggest } from "../http/suggest.ts";
import type { Route } from "../http/router.ts";
import { viewUpstreams } from "../server-views.ts";
import type { LoginLinkView, LoginsView, UpstreamView } from "../views.ts";
import { findServer } from "./servers.ts";

/** Upstreams of one server and of all: their state, a restart, and the acceptance of changed tools. */
export function upstreamRoutes(gateway: Gateway): readonly Route[] {
  return [
    {
      method: "GET",
      path: "upstreams",
      run: () => {
        const upstreams: readonly UpstreamView[] = gateway.servers().flatMap((server) => viewUpstreams(server));
        return { json: { upstreams } };
      },
    },
    {
      method: "GET",
      path: "servers/:slug/upstreams",
      run: ({ params }) => ({ json: { upstreams: viewUpstreams(findServer(gateway, params["slug"])) } }),
    },
    {
      method: "POST",
      path: "servers/:slug/upstreams/:name/restart",
      run: async (request) => {
        await findUpstream(gateway, request).restart();
        await note(gateway, request, "upstream.restart");
        return EMPTY;
      },
    },
    {
      method: "POST",
      path: "servers/:slug/upstreams/:name/accept",
      run: async (request) => {
        findUpstream(gateway, request).accept();
        await note(gateway, request, "upstream.accept");
        return EMPTY;
      },
    },
    {
      method: "GET",
      path: "servers/:slug/upstreams/:name/logins",
      run: async (request) => {
        const { slug: server = "", name: upstream = "" } = request.params;
        findUpstream(gateway, request);
        const known = await gateway.storage.grants.list({ server, upstream });
        const view: LoginsView = { logins: known.map(({ principal, since }) => ({ principal, since })) };
        return { json: view };
      },
    },
    {
      method: "POST",
      path: "servers/:slug/upstreams/:name/logins",
      run: async (request) => {
        const { slug = "", name = "" } = request.params;
        findUpstream(gateway, request);
        const view: LoginLinkView = { url: await gateway.createLoginLink(slug, name) };
        await note(gateway, request, "upstream.login-link");
        return { status: 201, json: view };
      },
    },
    {
      method: "DELETE",
      path: "servers/:slug/upstreams/:name/logins",
      run: async (request) => {
        const { slug: server = "", name: upstream = "" } = request.params;
        const principal = request.query.get("principal") ?? undefined;
        // An upstream that is no longer configured may still have logins.
        const isEnded = await gateway.disconnect({ server, upstream, principal });
        if (!isEnded) throw notFound("Nobody is logged in like that.");
        await note(gateway, request, "upstream.disconnect");
        return EMPTY;
      },
    },
  ];
}

function findUpstream(gateway: Gateway, { params }: AdminRequest): Upstream {
  const server = findServer(gateway, params["slug"]);
  const name = params["name"] ?? "";
  const found = server.upstreams.find((upstream) => upstream.name === name);
  if (found !== undefined) return found;
  const names = server.upstreams.map((upstream) => upstream.name);
  throw notFound(
    `The server ${JSON.stringify(server.slug)} has no upstream ${JSON.stringify(name.slice(0, 64))}.${suggest(name, names)}`,
  );
}

async function note(gateway: Gateway, { actor, params }: AdminRequest, action: string): Promise<void> {
  await gateway.storage.audit.add({ actor, action, subject: `${params["slug"] ?? ""}/${params["name"] ?? ""}` });
}

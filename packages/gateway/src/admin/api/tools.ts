import type { ServerConfig } from "../../config/config.ts";
import type { Gateway, GatewayServer, ToolInfo } from "../../gateway.ts";
import { invalid, notFound } from "../http/admin-error.ts";
import { allowMembers, isObject, readChoice, readOptionalText, type JsonBody } from "../http/request.ts";
import { suggest } from "../http/suggest.ts";
import type { Route } from "../http/router.ts";
import type { TryView } from "../views.ts";
import { findReadyServer, mergePatch, readSlug, writeServer } from "./servers.ts";

/** `servers/{slug}/tools/{name}`: status, changes, and a call to try it. */
export function toolRoutes(gateway: Gateway): readonly Route[] {
  return [
    {
      method: "PATCH",
      path: "servers/:slug/tools/:name",
      run: async (request) => {
        const server = await findReadyServer(gateway, readSlug(request));
        const { listing } = findTool(server, request.params["name"]);
        const change = readChange(await request.readBody());
        return writeServer(
          gateway,
          request,
          server.slug,
          (current) => withOverride(current, listing.name, change),
          "tool.change",
        );
      },
    },
    {
      method: "POST",
      path: "servers/:slug/tools/:name/try",
      run: async (request) => {
        const server = await findReadyServer(gateway, readSlug(request));
        const { listing } = findTool(server, request.params["name"]);
        const body = await request.readBody();
        allowMembers(body, ["arguments"]);
        const args = body["arguments"] ?? {};
        if (!isObject(args)) throw invalid('"arguments" must be an object with the arguments of the tool.');
        const { id, result } = await server.call(listing.name, args, request.signal);
        await gateway.storage.audit.add({
          actor: request.actor,
          action: "tool.try",
          subject: `${server.slug}/${listing.name}`,
        });
        const view: TryView = { id, result };
        return { json: view };
      },
    },
  ];
}

function findTool(server: GatewayServer, name: string | undefined): ToolInfo {
  const found = server.tools.find((tool) => tool.listing.name === name);
  if (found !== undefined) return found;
  const names = server.tools.map((tool) => tool.listing.name);
  throw notFound(
    `The server ${JSON.stringify(server.slug)} has no tool ${JSON.stringify((name ?? "").slice(0, 128))}.${suggest(name ?? "", names)}`,
  );
}

/** Members that are `null` go back to what the source of the tool says. */
function readChange(body: JsonBody): JsonBody {
  allowMembers(body, ["status", "title", "description", "limits"]);
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  readChoice(given, "status", ["active", "draft"]);
  readOptionalText(given, "title", 256);
  readOptionalText(given, "description", 4096);
  if (given["limits"] !== undefined && !isObject(given["limits"])) throw invalid('"limits" must be an object.');
  if (Object.keys(body).length === 0) {
    throw invalid("The body says nothing that should change. It may have: status, title, description, limits.");
  }
  return body;
}

function withOverride(config: ServerConfig | undefined, name: string, change: JsonBody): JsonBody {
  return mergePatch(config ?? {}, { overrides: { [name]: change } }) as JsonBody;
}

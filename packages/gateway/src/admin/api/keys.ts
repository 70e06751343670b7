import type { Gateway } from "../../gateway.ts";
import type { ApiKey } from "../../storage/storage.ts";
import { invalid, notFound } from "../http/admin-error.ts";
import { EMPTY } from "../http/reply.ts";
import { allowMembers, readOptionalText, readText, readTexts, type JsonBody } from "../http/request.ts";
import { suggest } from "../http/suggest.ts";
import { describeMissing } from "./servers.ts";
import type { Route } from "../http/router.ts";
import type { KeysView, NewKeyView } from "../views.ts";

/** `keys`: the API keys of the gateway. A key is shown once, when it is made. */
export function keyRoutes(gateway: Gateway, now: () => number): readonly Route[] {
  const { keys, audit } = gateway.storage;
  return [
    {
      method: "GET",
      path: "keys",
      run: () => {
        const view: KeysView = { keys: keys.list() };
        return { json: view };
      },
    },
    {
      method: "POST",
      path: "keys",
      run: async (request) => {
        const body = await request.readBody();
        allowMembers(body, ["name", "servers", "principal", "expiresAt"]);
        const view: NewKeyView = await keys.create({
          name: readText(body, "name", 100),
          servers: readServers(gateway, body),
          principal: readOptionalText(body, "principal", 256),
          expiresAt: readExpiry(body, now()),
        });
        await audit.add({ actor: request.actor, action: "key.create", subject: view.key.id });
        return { status: 201, json: view };
      },
    },
    {
      method: "DELETE",
      path: "keys/:id",
      run: async (request) => {
        const id = request.params["id"] ?? "";
        if (!(await keys.revoke(id))) {
          throw notFound(`There is no key of this id. It may have been revoked before.${adviseKey(keys.list(), id)}`);
        }
        await audit.add({ actor: request.actor, action: "key.revoke", subject: id });
        return EMPTY;
      },
    },
  ];
}

/** People remember the names of keys. */
function adviseKey(keys: readonly ApiKey[], id: string): string {
  const named = keys.find((key) => key.name === id);
  if (named !== undefined) return ` The key of the name ${JSON.stringify(id)} has the id ${named.id}.`;
  return suggest(
    id,
    keys.map((key) => key.id),
  );
}

/** A slug that does not exist is a mistake, and would be a key that opens nothing. */
function readServers(gateway: Gateway, body: JsonBody): readonly string[] | undefined {
  const servers = readTexts(body, "servers", 1000);
  if (servers?.length === 0) {
    throw invalid('"servers" is empty, so the key would open nothing. Leave it out for all servers.');
  }
  const unknown = servers?.find((slug) => gateway.server(slug) === undefined);
  if (unknown !== undefined) throw invalid(describeMissing(gateway, unknown));
  return servers;
}

function readExpiry(body: JsonBody, now: number): number | undefined {
  const value = body["expiresAt"];
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value <= now) {
    throw invalid('"expiresAt" must be a time in the future, in milliseconds since 1970.');
  }
  return value;
}

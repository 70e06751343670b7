import type { Gateway } from "../../gateway.ts";
import { LONGEST_SECRET } from "../../secrets/redactor.ts";
import { invalid, notFound } from "../http/admin-error.ts";
import { allowMembers, readText, type AdminRequest } from "../http/request.ts";
import { EMPTY, type Reply } from "../http/reply.ts";
import { suggest } from "../http/suggest.ts";
import type { Route } from "../http/router.ts";
import { viewCredentials } from "../server-views.ts";
import type { CredentialView, SecretView } from "../views.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Sealed secrets, of all and of single principals. They can be set and removed, and never read. */
export function secretRoutes(gateway: Gateway): readonly Route[] {
  return [
    {
      method: "GET",
      path: "secrets",
      run: () => {
        const secrets: readonly SecretView[] = gateway.storage.secrets
          .list()
          .map(({ name, principal, updatedAt }) => ({ name, principal, isSet: true, updatedAt }));
        return { json: { secrets } };
      },
    },
    {
      method: "GET",
      path: "credentials",
      run: () => {
        const credentials: readonly CredentialView[] = gateway.servers().flatMap((server) => viewCredentials(server));
        return { json: { credentials } };
      },
    },
    {
      method: "POST",
      path: "secrets/rotate",
      run: async (request) => {
        const sealed = await gateway.storage.secrets.rotate();
        await gateway.storage.audit.add({ actor: request.actor, action: "secrets.rotate", subject: "all" });
        return { json: { sealed } };
      },
    },
    { method: "PUT", path: "secrets/:name", run: (request) => set(gateway, request) },
    { method: "DELETE", path: "secrets/:name", run: (request) => remove(gateway, request) },
    {
      method: "PUT",
      path: "principals/:principal/credentials/:name",
      run: (request) => set(gateway, request, request.params["principal"]),
    },
    {
      method: "DELETE",
      path: "principals/:principal/credentials/:name",
      run: (request) => remove(gateway, request, request.params["principal"]),
    },
  ];
}

async function set(gateway: Gateway, request: AdminRequest, principal?: string): Promise<Reply> {
  const name = readName(request, principal);
  const body = await request.readBody(4 * LONGEST_SECRET);
  allowMembers(body, ["value"]);
  await gateway.storage.secrets.set(name, readText(body, "value", LONGEST_SECRET), principal);
  await gateway.storage.audit.add({ actor: request.actor, action: "secret.set", subject: subject(name, principal) });
  return EMPTY;
}

async function remove(gateway: Gateway, request: AdminRequest, principal?: string): Promise<Reply> {
  const name = readName(request, principal);
  if (!(await gateway.storage.secrets.remove(name, principal))) {
    const names = gateway.storage.secrets.list().flatMap((each) => (each.principal === principal ? each.name : []));
    throw notFound(`There is no secret ${JSON.stringify(subject(name, principal))}.${suggest(name, names)}`);
  }
  await gateway.storage.audit.add({ actor: request.actor, action: "secret.remove", subject: subject(name, principal) });
  return EMPTY;
}

function readName({ params }: AdminRequest, principal: string | undefined): string {
  const name = params["name"] ?? "";
  if (!NAME.test(name)) {
    throw invalid(
      "The name of a secret has 1 to 128 letters, digits, dots, hyphens and underscores, and begins with a letter or digit.",
    );
  }
  if (principal !== undefined && principal.length > 256) {
    throw invalid("The id of a principal has at most 256 characters.");
  }
  return name;
}

function subject(name: string, principal: string | undefined): string {
  return principal === undefined ? name : `${name} of ${principal}`;
}

/** Methods that extensions add: who may call them, what they take, what they return. */
import { describeIssues } from "@toolwire/json-schema";
import {
  type ClientCapabilities,
  ErrorCode,
  type Extensions,
  RpcError,
  UsageError,
  type Validation,
} from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import { invalidParams } from "../errors.ts";
import type { AddedMethod } from "../extensions/compiled-extensions.ts";
import type { Definition } from "../registry/definition.ts";
import type { Route } from "../request/request-era.ts";
import type { ServedRequest } from "../request/served-request.ts";
import { isThenable } from "../request/thenable.ts";

const routes = new WeakMap<AddedMethod, Route>();

/** The route of a method that an extension adds to the revision of a request. */
export function findAddedRoute(
  { extensions }: Definition,
  revision: ServedRequest["revision"],
  method: string,
): Route | undefined {
  const added = extensions?.findMethod(revision, method);
  if (added === undefined) return undefined;
  let route = routes.get(added);
  if (route === undefined) {
    route = {
      handle: (request, params) => answer(request, added, params),
      isToolCall: false,
      isCacheable: added.isCacheable,
    };
    routes.set(added, route);
  }
  return route;
}

/** Whether a client declares an extension. */
export function declares({ extensions }: ClientCapabilities, id: string): boolean {
  return isObject(extensions) && Object.hasOwn(extensions, id) && isObject(extensions[id]);
}

/** Refuses a client that does not declare an extension, and says what to declare (versioning, "Extension Negotiation"). */
export function requireExtension({ clientCapabilities }: Pick<ServedRequest, "clientCapabilities">, id: string): void {
  if (declares(clientCapabilities, id)) return;
  const extensions: Extensions = { [id]: {} };
  throw new RpcError(
    ErrorCode.MissingRequiredClientCapability,
    `This request needs a client with the extension ${id}, which was not declared.`,
    { data: { requiredCapabilities: { extensions } } },
  );
}

async function answer(request: ServedRequest, added: AddedMethod, given: object | undefined): Promise<object> {
  const { extension, params, handle } = added;
  if (added.isGated) requireExtension(request, extension.id);
  // The metadata is for the protocol. A schema that takes no other members would refuse it.
  const { _meta, ...own } = (given ?? {}) as { readonly _meta?: unknown };
  const checked = params === undefined ? { ok: true as const, value: own } : await params(own);
  if (!checked.ok) throw invalidParams(`Invalid parameters of ${request.method}:\n${describeIssues(checked.issues)}`);
  request.expectWanted();
  const returned: unknown = await (handle(checked.value as never, request.context) as unknown);
  if (!isObject(returned)) throw misfit(request.method, "is no object");
  const result = added.result === undefined ? returned : await readResult(request.method, added.result(returned));
  return { ...result };
}

async function readResult(method: string, checking: Validation | Promise<Validation>): Promise<object> {
  const checked = isThenable(checking) ? await checking : checking;
  if (!checked.ok) throw misfit(method, `does not fit its \`result\`:\n${describeIssues(checked.issues)}`);
  return checked.value as object;
}

function misfit(method: string, problem: string): UsageError {
  return new UsageError("INVALID_ARGUMENT", `The result of ${method} ${problem}.`);
}

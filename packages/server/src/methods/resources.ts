import { isObject, readListParams, readReadResourceParams } from "@toolwire/protocol/internal";
import type { ServedRequest } from "../request/served-request.ts";
import { expectKind } from "../request/errors.ts";
import { requireScopesOf } from "../request/scopes.ts";
import { listWithMembers } from "./list-members.ts";
import { listPage } from "./lists.ts";
import type { ReadAnswer, ReadContents, ReadReturn } from "../define/resource.ts";
import type { LocatedResource } from "../registry/resources.ts";
import { type ReadResourceResult, type ResourceContents, UsageError } from "@toolwire/protocol";
import { resourceNotFound } from "../errors.ts";
import { encodeBinary } from "../content/binary.ts";
import { rethrow, runAsking } from "./run-asking.ts";

/** Answers `resources/list`: resources of their own, then the members that families name. */
export function listResources(request: ServedRequest, params: object | undefined): object | Promise<object> {
  expectKind(request, "resources");
  const { cursor } = readListParams(params);
  const { resources } = request.definition;
  const hasMembers = [...resources.families.values()].some(({ list }) => list !== undefined);
  return hasMembers ? listWithMembers(request, cursor) : listPage(request, "resources", resources.pages, cursor);
}

/** Answers `resources/read`. */
export function readResource(request: ServedRequest, given: object | undefined): object | Promise<object> {
  expectKind(request, "resources");
  const params = readReadResourceParams(given);
  const found = request.definition.resources.locate(params.uri);
  if (found === undefined) throw resourceNotFound(request.revision, params.uri);
  requireScopesOf(request, found.scopes);
  return runAsking(request, params, {
    run() {
      request.expectWanted();
      return found.read(request.context);
    },
    conclude(returned: ReadReturn) {
      if (returned === undefined) throw resourceNotFound(request.revision, params.uri);
      return readResult(request, params.uri, found, returned);
    },
    fail: rethrow,
  });
}

function readResult(
  request: ServedRequest,
  uri: string,
  found: LocatedResource,
  returned: Exclude<ReadReturn, undefined>,
): ReadResourceResult {
  const answer: ReadAnswer = isAnswer(returned) ? returned : { contents: returned };
  const { contents, ttlMs, cacheScope, _meta } = answer;
  const hint = request.definition.cache.read;
  const items = Array.isArray(contents)
    ? (contents as readonly (string | Uint8Array | ReadContents)[])
    : [contents as string];
  return {
    contents: items.map((item) => toContents(uri, found.mimeType, item)),
    ttlMs: Math.max(0, Math.trunc(ttlMs ?? hint?.ttlMs ?? 0)) || 0,
    // A cache that callers share would give them to those without the scopes.
    cacheScope: request.scopes === undefined ? (cacheScope ?? hint?.scope ?? "private") : "private",
    ...(_meta !== undefined && { _meta }),
  };
}

function isAnswer(returned: object | string): returned is ReadAnswer {
  return isObject(returned) && "contents" in returned;
}

function toContents(
  uri: string,
  mimeType: string | undefined,
  item: string | Uint8Array | ReadContents,
): ResourceContents {
  const own = readItem(item);
  const type = own.mimeType ?? mimeType;
  const common = {
    uri: own.uri ?? uri,
    ...(type !== undefined && { mimeType: type }),
    ...(own._meta && { _meta: own._meta }),
  };
  if (own.blob === undefined) return { ...common, text: own.text as string };
  return { ...common, blob: encodeBinary("`blob` of what `read` returned", own.blob) };
}

function readItem(item: unknown): ReadContents {
  if (typeof item === "string") return { text: item };
  if (item instanceof Uint8Array) return { blob: item };
  if (isObject(item) && (typeof item["text"] === "string" || item["blob"] !== undefined)) return item;
  throw new UsageError(
    "INVALID_ARGUMENT",
    "`read` returns text, bytes, contents with `text` or `blob`, or a list of them. To return data, write it as JSON text.",
  );
}

import { isObject, readListParams, readReadResourceParams } from "@toolwire/protocol/internal";
import type { ServedRequest } from "../request/served-request.ts";
import { expectKind } from "./lists.ts";
import type { ReadAnswer, ReadContents, ReadReturn } from "../define/resource.ts";
import type { Awaitable } from "../define/tool.ts";
import type { ResourceRegistry } from "../registry/resources.ts";
import type { Context } from "../request/context.ts";
import {
  errorCodeFor,
  type ReadResourceResult,
  type ResourceContents,
  type Revision,
  RpcError,
  UsageError,
} from "@toolwire/protocol";
import { invalidParams } from "../errors.ts";
import { encodeBinary } from "../content/binary.ts";
import { answerWithQuestions } from "./answer-with-questions.ts";

/** Answers `resources/list`: resources of their own, then the members that families name. */
export function listResources(call: ServedRequest, params: object | undefined): object | Promise<object> {
  const { definition, revision, shows } = call;
  expectKind(call, "resources");
  const { cursor } = readListParams(params);
  const { resources } = definition;
  const family = [...resources.families.values()].find(({ list }) => list !== undefined);
  if (family !== undefined) return family.listAll(call, cursor, resources);
  return shows === undefined
    ? resources.pages.page(revision, cursor)
    : resources.pages.shownPage(revision, cursor, shows);
}

/** A resource that was found, and how to read it. */
export interface FoundResource {
  /** The name under which it, or its family, was defined. */
  readonly name: string;
  readonly mimeType: string | undefined;
  /** What the variables of its family's template stand for. */
  readonly values: object | undefined;
  /** The one URI for all the ways to write it: what a percent-encoding or another order of parameters cannot change. */
  canonicalUri(): string;
  read(ctx: Context): Awaitable<ReadReturn>;
}

/** The resource of a URI: one of its own first, then the first family that it belongs to. */
export function locateResource(resources: ResourceRegistry, uri: string): FoundResource | undefined {
  const own = resources.single.get(uri);
  if (own !== undefined) {
    const { name, listing } = own;
    return {
      name,
      mimeType: listing.mimeType,
      values: undefined,
      canonicalUri: () => uri,
      read: (ctx) => own.read(ctx),
    };
  }
  for (const family of resources.families.values()) {
    const values = family.match(uri);
    if (values === undefined) continue;
    const { name, listing } = family;
    return {
      name,
      mimeType: listing.mimeType,
      values,
      canonicalUri: () => family.expand(values),
      read: (ctx) => family.read(values, ctx),
    };
  }
  return undefined;
}

/** The refusal of a resource that does not exist, or that the caller may not know of. */
export function resourceNotFound(revision: Revision, uri: string): RpcError {
  return new RpcError(errorCodeFor(revision, "resourceNotFound"), "Resource not found", { data: { uri } });
}

/** The refusal of a template that does not exist, or that the caller may not know of. */
export function unknownTemplate(): RpcError {
  return invalidParams("Unknown resource template: name it exactly as it was listed.");
}

/** Answers `resources/read`. */
export function readResource(call: ServedRequest, given: object | undefined): object | Promise<object> {
  expectKind(call, "resources");
  const params = readReadResourceParams(given);
  const found = locateResource(call.definition.resources, params.uri);
  if (found === undefined) throw resourceNotFound(call.revision, params.uri);
  return answerWithQuestions(
    call,
    params,
    () => {
      call.expectWanted();
      return found.read(call);
    },
    (returned) => {
      if (returned === undefined) throw resourceNotFound(call.revision, params.uri);
      return readResult(call, params.uri, found, returned);
    },
  );
}

function readResult(
  call: ServedRequest,
  uri: string,
  found: FoundResource,
  returned: Exclude<ReadReturn, undefined>,
): ReadResourceResult {
  const answer: ReadAnswer = isAnswer(returned) ? returned : { contents: returned };
  const { contents, ttlMs, cacheScope, _meta } = answer;
  const hint = call.definition.cache.read;
  const items = Array.isArray(contents)
    ? (contents as readonly (string | Uint8Array | ReadContents)[])
    : [contents as string];
  return {
    contents: items.map((item) => toContents(uri, found.mimeType, item)),
    ttlMs: Math.max(0, Math.trunc(ttlMs ?? hint?.ttlMs ?? 0)) || 0,
    cacheScope: cacheScope ?? hint?.scope ?? "private",
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

import { UsageError, type Annotations, type CacheScope, type Resource, type ResultMeta } from "@toolwire/protocol";
import type { Context } from "./context.ts";
import type { Refused, RESOURCE_HINTS } from "./other-names.ts";
import type { Scoped } from "./scopes.ts";
import type { Awaitable, Listed } from "./tool.ts";

/** The variables of an RFC 6570 template with the types that matching gives them. */
export type TemplateValues<T extends string> = string extends T
  ? { readonly [variable: string]: string | string[] | Record<string, string> | undefined }
  : { readonly [K in ExpressionsOf<T> as VariableName<VariableOf<K>>]: Value<VariableOf<K>> | Absence<K> };

/** The texts between braces. */
type ExpressionsOf<T extends string> = T extends `${string}{${infer Expression}}${infer Rest}`
  ? Split<Expression> | ExpressionsOf<Rest>
  : never;

/** `?a,b` as `?a` and `?b`: each variable with the operator in front. */
type Split<E extends string> =
  E extends `${infer Operator extends "+" | "#" | "." | "/" | ";" | "?" | "&"}${infer Rest}`
    ? `${Operator}${Names<Rest>}`
    : Names<E>;

type Names<E extends string> = E extends `${infer First},${infer Rest}` ? First | Names<Rest> : E;

/** Without the operator. */
type VariableOf<E extends string> = E extends `${"+" | "#" | "." | "/" | ";" | "?" | "&"}${infer Name}` ? Name : E;

/** Without the modifier. */
type VariableName<V extends string> = V extends `${infer Name}*`
  ? Name
  : V extends `${infer Name}:${string}`
    ? Name
    : V;

/** Exploded variables hold several values. */
type Value<V extends string> = V extends `${string}*` ? string | string[] | Record<string, string> : string;

/** Variables of queries, matrix parameters, fragments, labels and path segments may be absent. */
type Absence<E extends string> = E extends `${"?" | "&" | ";" | "#" | "." | "/"}${string}` ? undefined : never;

/** The members that all resources have in common. */
export interface ResourceInfo extends Listed, Scoped, Refused<typeof RESOURCE_HINTS> {
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly annotations?: Annotations | undefined;
}

/** Contents with a URI or type of their own, such as one file of a directory. */
export interface ReadContents {
  /** Default: the URI that the client asked for. */
  readonly uri?: string | undefined;
  /** Default: that of the resource. */
  readonly mimeType?: string | undefined;
  readonly text?: string | undefined;
  /** Bytes, or base64. */
  readonly blob?: Uint8Array | string | undefined;
  readonly _meta?: ResultMeta | undefined;
}

/** Contents, together with how long and for whom clients may cache them. */
export interface ReadAnswer {
  readonly contents: string | Uint8Array | ReadContents | readonly (string | Uint8Array | ReadContents)[];
  readonly ttlMs?: number | undefined;
  readonly cacheScope?: CacheScope | undefined;
  readonly _meta?: ResultMeta | undefined;
}

/** The return value of `read`: text, bytes or contents; `undefined` if the resource does not exist. */
export type ReadReturn = ReadAnswer | ReadAnswer["contents"] | undefined;

/** A resource with a URI of its own. */
export interface FixedResourceOptions extends ResourceInfo {
  readonly uri: string;
  /** The size in bytes, before any encoding. */
  readonly size?: number | undefined;
  read(ctx: Context): Awaitable<ReadReturn>;
}

/**
 * Suggests values for the variable or argument that the user is typing. `settled` has the values that are already
 * filled in.
 */
export type Complete = (
  value: string,
  ctx: Context,
  settled: { readonly [name: string]: string },
) => Awaitable<readonly string[] | Suggestions>;

/** Suggestions, best first, which may be a part of all there are. */
export interface Suggestions {
  readonly values: readonly string[];
  /** How many suggestions there are in total. */
  readonly total?: number | undefined;
  readonly hasMore?: boolean | undefined;
}

/** A family of resources whose URIs follow a template. */
export interface ResourceTemplateOptions<T extends string> extends ResourceInfo {
  /** An RFC 6570 template, such as `file:///{+path}`. */
  readonly template: T;
  /**
   * Lists the resources that exist, for `resources/list`. It is called again for every page that has room for them, so keep
   * the order the same. URIs that neither the template nor another definition matches are left out, with a diagnostic.
   */
  list?(ctx: Context): Awaitable<readonly ListedResource[]>;
  /** Suggests values for the template's variables. */
  readonly complete?: { readonly [K in keyof TemplateValues<T>]?: Complete } | undefined;
  read(values: TemplateValues<T>, ctx: Context): Awaitable<ReadReturn>;
}

/**
 * A resource that matches a template, as it is listed. Members that it leaves out are taken from the template's
 * definition.
 */
export type ListedResource = Partial<Resource> & { readonly uri: string };

/**
 * A resource, made by {@link resource}. Pass it with its name to `createServer({ resources })` or
 * `server.resources.add`.
 */
export type ResourceDefinition = FixedResourceDefinition | ResourceTemplateDefinition;

/** A resource with a URI of its own. */
export interface FixedResourceDefinition extends FixedResourceOptions {
  readonly template?: undefined;
}

/** A family of resources whose URIs follow a template. */
export interface ResourceTemplateDefinition extends ResourceInfo {
  readonly uri?: undefined;
  readonly template: string;
  readonly list?: ((ctx: Context) => Awaitable<readonly ListedResource[]>) | undefined;
  readonly complete?: { readonly [variable: string]: Complete | undefined } | undefined;
  readonly read: (values: never, ctx: Context) => Awaitable<ReadReturn>;
}

/**
 * Defines a resource: one with a `uri`, or a family of them with a `template`.
 *
 * @example
 * ```ts
 * const readme = resource({ uri: "docs://readme", mimeType: "text/markdown", read: () => "# Hello" });
 * const user = resource({ template: "users://{id}", read: async ({ id }) => JSON.stringify(await find(id)) });
 * ```
 */
export function resource(options: FixedResourceOptions): FixedResourceDefinition;
export function resource<const T extends string>(options: ResourceTemplateOptions<T>): ResourceTemplateDefinition;
export function resource(options: FixedResourceOptions | ResourceTemplateOptions<string>): ResourceDefinition {
  expectOnePlace(options);
  return options as ResourceDefinition;
}

/** Refuses a resource that has both a URI and a template. */
export function expectOnePlace({ uri, template }: { readonly uri?: unknown; readonly template?: unknown }): void {
  if (uri === undefined || template === undefined) return;
  throw new UsageError("INVALID_DEFINITION", "A resource has a `uri`, or a `template` for a family; not both.");
}

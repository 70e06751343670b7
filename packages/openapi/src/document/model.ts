import type { ParameterStyle } from "../request/request-spec.ts";
import type { JsonMembers } from "./json-value.ts";
import type { Located, References } from "./references.ts";

/**
 * One model for all versions of OpenAPI. Schemas stay as the document has them; `schema/` converts them by the version.
 */

/** The versions that differ in the meaning of schemas. 3.2 has the schemas of 3.1. */
export type OpenApiVersion = "2.0" | "3.0" | "3.1";

/** A document in the model. */
export interface DocumentModel {
  readonly version: OpenApiVersion;
  /** The version as the document writes it, such as `3.0.3`. */
  readonly openapi: string;
  readonly title: string | undefined;
  readonly apiVersion: string | undefined;
  readonly references: References;
  readonly servers: readonly ServerModel[];
  readonly schemes: ReadonlyMap<string, SchemeModel>;
  readonly operations: readonly OperationModel[];
}

/** A server URL that may have variables: `https://{region}.example.com/v1`. */
export interface ServerModel {
  readonly url: string;
  readonly variables: ReadonlyMap<string, { readonly value: string | undefined; readonly allowed: readonly string[] }>;
}

/** A security scheme. `kind` says in a few words what it is. */
export interface SchemeModel {
  readonly name: string;
  readonly kind: string;
  readonly credential:
    | { readonly type: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string }
    | { readonly type: "bearer" }
    | { readonly type: "basic" }
    /** Access tokens of OAuth 2, however they are obtained. */
    | { readonly type: "token" }
    | { readonly type: "unsupported" };
}

/** Names of schemes that a request needs together. None: no credential. */
export type SecurityAlternative = readonly string[];

/** An operation in the model. */
export interface OperationModel {
  readonly id: string | undefined;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly isDeprecated: boolean;
  /** Servers of the operation, or of its path. Empty: those of the document. */
  readonly servers: readonly ServerModel[];
  /** The alternatives; `undefined` if neither the operation nor the document says anything. */
  readonly security: readonly SecurityAlternative[] | undefined;
  readonly parameters: readonly ParameterModel[];
  readonly body: BodyModel | undefined;
  /** The schema of a successful response in JSON. */
  readonly response: Located | undefined;
  /** The values of `x-toolwire` or `x-mcp`: of the document, the path and the operation, in this order. */
  readonly extensions: readonly unknown[];
  /** Parts that were left out, and why. */
  readonly notes: readonly string[];
  /** Why the operation cannot be used at all. */
  readonly problem: string | undefined;
}

/** The place of a parameter that a request can have. */
export type ParameterPlace = "path" | "query" | "header" | "cookie";

/** A parameter in the model. */
export interface ParameterModel {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly isRequired: boolean;
  readonly isDeprecated: boolean;
  readonly description: string | undefined;
  readonly schema: Located;
  readonly style: ParameterStyle | undefined;
  readonly explode: boolean | undefined;
  readonly allowReserved: boolean;
  /** The media type of a `content` parameter. */
  readonly contentType: string | undefined;
}

/** A request body in the model. */
export interface BodyModel {
  /** Whether the document says so. `undefined`: it says nothing, which OpenAPI reads as no. */
  readonly isRequired: boolean | undefined;
  readonly description: string | undefined;
  readonly contents: readonly ContentModel[];
}

/** One media type of a body. */
export interface ContentModel {
  readonly mediaType: string;
  readonly schema: Located;
  /** The Encoding Objects by property. */
  readonly encoding: JsonMembers;
}

/** The input that the readers of all versions share: the document, and what it says for all operations. */
export interface ReaderContext {
  readonly root: JsonMembers;
  readonly references: References;
}

import type { JsonSchemaObject, ToolAnnotations } from "@toolwire/server";
import type { HttpMethod, RequestSpec } from "../request/request-spec.ts";
import type { HttpOperation } from "../tool/operation.ts";
import type { ImportReport } from "./report.ts";

/** An operation of an OpenAPI document, as filters and overrides see it. */
export interface OperationInfo {
  /** The `operationId`, if the document gives one. */
  readonly id: string | undefined;
  /** The name of the tool, unless you choose another one. */
  readonly name: string;
  readonly method: HttpMethod;
  /** The path as the document writes it, such as `/users/{id}`. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly isDeprecated: boolean;
}

/** The data under which a tool is listed. */
export interface ToolListing {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** A plain object schema in JSON Schema 2020-12, with everything it refers to in its own `$defs`. */
  readonly input: JsonSchemaObject;
  /** Present only if `output` was asked for and the document describes an object. */
  readonly output?: JsonSchemaObject | undefined;
  readonly annotations: ToolAnnotations;
}

/** An operation that became a tool: its listing, and its request compiled once. */
export interface ImportedOperation {
  /** The name of the tool: at most 56 of `a-z`, `A-Z`, `0-9`, `_`, `-` and `.`. */
  readonly name: string;
  readonly info: OperationInfo;
  readonly listing: ToolListing;
  /** The request as plain data. */
  readonly request: RequestSpec;
  /** The compiled request, its credentials and what becomes of its response. */
  readonly operation: HttpOperation;
  /** The size of the listing as JSON. A model reads about a quarter as many tokens. */
  readonly bytes: number;
  /**
   * Parses texts that are JSON where the schema wants an object or a list: models write such arguments as text at times.
   * Call it before the arguments are validated. Returns the same object if there is nothing to parse.
   */
  repairArguments(args: object): object;
}

/** The operations of a document that became tools, and the report on all of them. */
export interface OpenApiImport {
  readonly operations: readonly ImportedOperation[];
  readonly report: ImportReport;
}

/** Why an operation is left out: by `include` and its like, because it is deprecated, or because it cannot become a tool. */
export type SkipKind = "choice" | "deprecated" | "problem";

/** An operation that could become a tool, for people who choose. */
export interface OperationCandidate {
  readonly name: string;
  readonly info: OperationInfo;
  /** The size of the listing as JSON. 0 if the operation cannot become a tool. */
  readonly bytes: number;
  /** `bytes / 4`: about the number of tokens that a model reads. */
  readonly tokens: number;
  /** Why the operation cannot become a tool. Absent: it can. */
  readonly problem?: string | undefined;
  /** The kind of that reason. */
  readonly skipped?: SkipKind | undefined;
}

/** A way to authenticate that a document declares. */
export interface DeclaredScheme {
  /** The name under which `auth` is given. */
  readonly name: string;
  /** Such as `bearer`, `basic`, `apiKey in header X-Key`, `oauth2`, `openIdConnect`. */
  readonly kind: string;
  /** Whether this package has an `Auth` for it. */
  readonly isSupported: boolean;
  /** Where a key goes. Present if the scheme is a key. */
  readonly key?: { readonly in: "header" | "query" | "cookie"; readonly name: string } | undefined;
}

/** The contents of a document, before tools are made of it. */
export interface OpenApiCandidates {
  readonly title: string | undefined;
  /** The version of the API, as the document gives it. */
  readonly apiVersion: string | undefined;
  /** The version of OpenAPI, such as `3.0.3` or `2.0`. */
  readonly openapi: string;
  /** The base URLs that the document names, with default values of variables. They are suggestions: nothing is sent there. */
  readonly servers: readonly string[];
  /** Why the other servers that the document names are none that requests could go to: relative URLs, variables without values. */
  readonly serverProblems: readonly string[];
  readonly schemes: readonly DeclaredScheme[];
  readonly operations: readonly OperationCandidate[];
}

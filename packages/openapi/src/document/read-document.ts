import { UsageError } from "@toolwire/server";
import { memberOf, textOf } from "./json-value.ts";
import type { DocumentModel, OpenApiVersion } from "./model.ts";
import { parseDocument } from "./parse-document.ts";
import { readOpenApi3 } from "./read-open-api-3.ts";
import { readSwagger2 } from "./read-swagger-2.ts";
import { References } from "./references.ts";

/** How references of a document are resolved. */
export interface DocumentOptions {
  readonly documentUrl?: string | undefined;
  readonly documents?: { readonly [reference: string]: unknown } | undefined;
}

/**
 * Reads a document of OpenAPI 3.0, 3.1 or 3.2, or of Swagger 2, into one model.
 *
 * @throws UsageError if it is something else, cannot be read, or is beyond the limits
 */
export function readDocument(document: unknown, options: DocumentOptions = {}): DocumentModel {
  const root = parseDocument(document);
  const { openapi, version } = readVersion(root);
  const references = new References(root, options.documentUrl, options.documents);
  const info = memberOf(root, "info");
  const parts = version === "2.0" ? readSwagger2({ root, references }) : readOpenApi3({ root, references });
  return {
    version,
    openapi,
    title: textOf(memberOf(info, "title")),
    apiVersion: textOf(memberOf(info, "version")),
    references,
    ...parts,
  };
}

/** YAML reads `swagger: 2.0` and `openapi: 3.1` as numbers, so these are accepted as well. */
function readVersion(root: unknown): { openapi: string; version: OpenApiVersion } {
  const swagger = memberOf(root, "swagger");
  if (swagger === 2 || (typeof swagger === "string" && /^2\.0(\.|$)/.test(swagger))) {
    return { openapi: "2.0", version: "2.0" };
  }
  const openapi = memberOf(root, "openapi");
  const text = typeof openapi === "number" ? String(openapi) : typeof openapi === "string" ? openapi : "";
  if (/^3(\.0(\.|$)|$)/.test(text)) return { openapi: text, version: "3.0" };
  if (/^3\.[12](\.|$)/.test(text)) return { openapi: text, version: "3.1" };
  const found =
    openapi === undefined && swagger === undefined
      ? "has neither `openapi` nor `swagger`"
      : `is of version ${JSON.stringify(openapi ?? swagger).slice(0, 40)}`;
  throw new UsageError(
    "INVALID_ARGUMENT",
    `This document ${found}. OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 can be read.`,
  );
}

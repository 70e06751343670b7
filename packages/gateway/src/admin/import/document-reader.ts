import { listOpenApi, parseOpenApi } from "@toolwire/openapi";
import type { JsonBody } from "../http/request.ts";
import { pruneDocument, type OperationKey } from "./prune-document.ts";

/** The part of what `@toolwire/openapi` says of a document that an import needs. */
export type ListedDocument = Pick<
  ReturnType<typeof listOpenApi>,
  "title" | "openapi" | "servers" | "schemes" | "operations"
>;

/** Reads OpenAPI documents. Both functions take their text, and throw a `UsageError` that says what is wrong with it. */
export interface DocumentReader {
  /** The operations that can become tools, with their sizes. */
  list(text: string): Promise<ListedDocument>;
  /** The document with some of its operations, and what they need. */
  prune(text: string, chosen: readonly OperationKey[]): Promise<JsonBody>;
}

/** A task for the thread that reads documents. */
export type DocumentTask =
  | { readonly kind: "list"; readonly text: string }
  | { readonly kind: "prune"; readonly text: string; readonly chosen: readonly OperationKey[] };

/** Does a task at once. It takes seconds for a document of ten megabytes. */
export function runTask(task: DocumentTask): ListedDocument | JsonBody {
  const document = parseOpenApi(task.text);
  if (task.kind === "prune") return pruneDocument(document, task.chosen);
  const { title, openapi, servers, schemes, operations } = listOpenApi(document);
  return { title, openapi, servers, schemes, operations };
}

import { ToolwireError } from "@toolwire/protocol";
import type { ServerConfig } from "../../config/config.ts";
import type { Gateway } from "../../gateway.ts";
import { MAX_DOCUMENT } from "../../servers/http-callers.ts";
import { AdminError, invalid, notFound } from "../http/admin-error.ts";
import {
  allowMembers,
  readChoice,
  readOptionalText,
  readTexts,
  type AdminRequest,
  type JsonBody,
} from "../http/request.ts";
import type { Route } from "../http/router.ts";
import { credentialsOfSchemes } from "../import/credentials-of-schemes.ts";
import type { DocumentReader, ListedDocument } from "../import/document-reader.ts";
import { PendingImports, type PendingImport } from "../import/pending-imports.ts";
import type { CandidateView, ImportView } from "../views.ts";
import { readSlug, requireChangeable, writeServer } from "./servers.ts";

/** JSON escapes line breaks and quotes, so a document is longer in a body. */
const MAX_BODY = 2 * MAX_DOCUMENT;

/** `servers/{slug}/import`: a document becomes candidates, and those that are chosen become tools. */
export function importRoutes(gateway: Gateway, documents: DocumentReader, now: () => number): readonly Route[] {
  const imports = new PendingImports(now);
  return [
    {
      method: "POST",
      path: "servers/:slug/import",
      run: async (request) => {
        const slug = readSlug(request);
        requireImportable(gateway, slug);
        const document = await readDocument(gateway, request);
        const listed = await documents.list(document);
        const pending = imports.add({
          slug,
          document,
          title: listed.title ?? slug,
          candidates: listed.operations.map(viewCandidate),
          schemes: listed.schemes,
        });
        const view: ImportView = {
          id: pending.id,
          title: pending.title,
          version: listed.openapi,
          expiresAt: pending.expiresAt,
          servers: listed.servers,
          securitySchemes: listed.schemes,
          candidates: pending.candidates,
        };
        return { status: 201, json: view };
      },
    },
    {
      method: "POST",
      path: "servers/:slug/import/:id/commit",
      run: async (request) => {
        const slug = readSlug(request);
        const pending = imports.find(slug, request.params["id"] ?? "");
        if (pending === undefined) throw notFound("There is no such import any more. Read the document in again.");
        requireImportable(gateway, slug);
        const choice = readChosen(await request.readBody(), pending);
        const document = await documents.prune(pending.document, choice.candidates);
        const reply = await writeServer(
          gateway,
          request,
          slug,
          (current) => withDocument(current, pending, document, choice),
          "server.import",
        );
        imports.remove(pending.id);
        return reply;
      },
    },
  ];
}

function requireImportable(gateway: Gateway, slug: string): void {
  const server = gateway.server(slug);
  if (server === undefined) return;
  requireChangeable(server);
  if (server.config.openapi === undefined) return;
  throw new AdminError(
    409,
    "has_document",
    `The server ${JSON.stringify(slug)} has an OpenAPI document already. Choose another slug, or remove its document first.`,
  );
}

async function readDocument(gateway: Gateway, request: AdminRequest): Promise<string> {
  const body = await request.readBody(MAX_BODY);
  allowMembers(body, ["document", "url"]);
  const text = readOptionalText(body, "document", MAX_DOCUMENT);
  const url = readOptionalText(body, "url", 2048);
  if ((text === undefined) === (url === undefined)) {
    throw invalid('Send either "document", the text of an OpenAPI document, or "url", where it can be fetched.');
  }
  if (text !== undefined) return text;
  if (!/^https?:\/\//i.test(url ?? "")) throw invalid('"url" must begin with https:// or http://.');
  try {
    return await gateway.fetchDocument(url ?? "", request.signal);
  } catch (error) {
    if (!(error instanceof ToolwireError)) throw error;
    throw new AdminError(422, "not_fetched", `The document could not be fetched: ${error.message}`);
  }
}

function viewCandidate({ name, info, bytes, tokens, problem }: ListedDocument["operations"][number]): CandidateView {
  return {
    id: `${info.method} ${info.path}`,
    method: info.method,
    path: info.path,
    operationId: info.id,
    tags: info.tags,
    tool: problem === undefined ? name : undefined,
    description: info.summary ?? info.description,
    bytes,
    tokens,
    reason: problem,
    notes: info.isDeprecated ? ["deprecated"] : [],
  };
}

interface Chosen {
  readonly candidates: readonly CandidateView[];
  readonly status: "active" | "draft";
  readonly baseUrl: string | undefined;
  readonly title: string | undefined;
  readonly schemes: PendingImport["schemes"];
}

function readChosen(body: JsonBody, pending: PendingImport): Chosen {
  allowMembers(body, ["operations", "status", "baseUrl", "title", "schemes"]);
  const names = readTexts(body, "operations", 5000) ?? [];
  if (names.length === 0) throw invalid('"operations" must name at least one candidate by its id.');
  const candidates = names.map((id) => {
    const found = pending.candidates.find((candidate) => candidate.id === id);
    if (found === undefined) throw invalid(`The document has no candidate ${JSON.stringify(id.slice(0, 200))}.`);
    if (found.tool === undefined) {
      throw invalid(`${JSON.stringify(id.slice(0, 200))} cannot become a tool: ${found.reason ?? ""}`);
    }
    return found;
  });
  const schemes = (readTexts(body, "schemes", 100) ?? []).map((name) => {
    const found = pending.schemes.find((scheme) => scheme.name === name);
    if (found === undefined) throw invalid(`The document has no security scheme ${JSON.stringify(name.slice(0, 64))}.`);
    return found;
  });
  return {
    candidates,
    schemes,
    status: readChoice(body, "status", ["active", "draft"]) ?? "draft",
    baseUrl: readOptionalText(body, "baseUrl", 2048),
    title: readOptionalText(body, "title", 256),
  };
}

/** A new server is a draft as a whole; in one that runs, only the new tools are drafts. */
function withDocument(
  current: ServerConfig | undefined,
  pending: PendingImport,
  document: JsonBody,
  chosen: Chosen,
): JsonBody {
  const { candidates, status, baseUrl, title, schemes } = chosen;
  const credentials = { ...credentialsOfSchemes(pending.slug, schemes), ...current?.credentials };
  const overrides = Object.fromEntries(candidates.map(({ tool }) => [tool ?? "", { status }]));
  return {
    ...(current ?? { status, title: title ?? pending.title }),
    openapi: { document, ...(baseUrl === undefined ? {} : { baseUrl }) },
    ...(Object.keys(credentials).length === 0 ? {} : { credentials }),
    ...(current === undefined || status === "active" ? {} : { overrides: { ...current.overrides, ...overrides } }),
  };
}

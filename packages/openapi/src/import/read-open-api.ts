import { findNearestName } from "@toolwire/json-schema/internal";
import { expectChoice, expectLimit, expectOption, expectOptions, type OptionNames } from "@toolwire/protocol/internal";
import { UsageError } from "@toolwire/server";
import type { DocumentModel, OperationModel } from "../document/model.ts";
import { readDocument } from "../document/read-document.ts";
import type { HttpMethod, RequestSpec } from "../request/request-spec.ts";
import { SchemaConverter } from "../schema/convert.ts";
import { textsOf } from "../schema/texts.ts";
import { withFieldsArgument } from "../tool/fields-input.ts";
import { compileOperation } from "../tool/operation.ts";
import { compileRepair } from "../tool/repair-arguments.ts";
import { planArguments, type ArgumentPlan } from "./arguments.ts";
import { BaseUrls, expectBaseUrl, suggestServers } from "./base-url.ts";
import { chooseOperations, type ChosenOperation } from "./choose-operations.ts";
import type { ImportedOperation, OpenApiCandidates, OpenApiImport, ToolListing } from "./imported-operation.ts";
import { makeListing, makeOutput, measureListing } from "./listing.ts";
import type { OpenApiOptions } from "./options.ts";
import { type OperationReport, summarize } from "./report.ts";
import { listSchemes, Security } from "./security.ts";

const OPTIONS: OptionNames<OpenApiOptions> = {
  include: true,
  exclude: true,
  deprecated: true,
  baseUrl: true,
  hosts: true,
  variables: true,
  documentUrl: true,
  documents: true,
  auth: true,
  arguments: true,
  deepObjectArrays: true,
  pathSeparators: true,
  names: true,
  descriptions: true,
  tool: true,
  maxTools: true,
  response: true,
  timeout: true,
  retries: true,
  http: true,
};

/**
 * Reads an OpenAPI document and compiles its operations, each with the listing of its tool. `toolsFromOpenApi` makes tools of
 * them; a program that runs the steps of a call itself, such as a gateway, uses them as they are.
 *
 * @throws UsageError if the document cannot be read, or an option is wrong
 */
export function readOpenApi(document: unknown, options: OpenApiOptions = {}): OpenApiImport {
  return importDocument("readOpenApi", document, options);
}

/** Does the work of `readOpenApi`. `taker` names the function that the user has called. */
export function importDocument(taker: string, document: unknown, options: OpenApiOptions): OpenApiImport {
  checkOptions(taker, options);
  const model = readDocument(document, options);
  const unsupported = new Map<string, number>();
  const planner = new OperationPlanner(model, options, unsupported);
  const baseUrls = new BaseUrls(model, options);
  const security = new Security(model.schemes, options.auth);
  const choice = chooseOperations(model.operations, options);
  const operations: ImportedOperation[] = [];
  const reports: OperationReport[] = [];
  for (const chosen of choice.operations) {
    const made = chosen.reason?.text ?? compile(chosen, planner, baseUrls, security, options);
    if (typeof made === "string") reports.push(reportSkip(chosen, made));
    else {
      operations.push(made.imported);
      reports.push(made.report);
    }
  }
  const maxTools = expectLimit("maxTools", options.maxTools, Infinity);
  if (operations.length > maxTools) {
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The document makes ${operations.length} tools, and \`maxTools\` is ${maxTools}. Choose some with \`include\`.`,
    );
  }
  const warnings = describeUnmatched(choice.unmatched, model.operations);
  const hosts = [...new Set(operations.map(({ request }) => new URL(request.baseUrl).host))];
  const report = summarize(model, reports, { unsupported, hosts, schemes: security.report(), warnings });
  return { operations, report };
}

/**
 * Lists the operations of a document with the names and sizes of their tools, for people who choose. It needs neither a base URL
 * nor credentials.
 *
 * @throws UsageError if the document cannot be read
 */
export function listOpenApi(document: unknown, options: OpenApiOptions = {}): OpenApiCandidates {
  checkOptions("listOpenApi", options);
  const model = readDocument(document, options);
  const planner = new OperationPlanner(model, options, new Map());
  const { operations } = chooseOperations(model.operations, options);
  const { usable, problems } = suggestServers(model.servers, options);
  return {
    title: model.title,
    apiVersion: model.apiVersion,
    openapi: model.openapi,
    servers: usable,
    serverProblems: problems,
    schemes: listSchemes(model.schemes),
    operations: operations.map((chosen) => {
      const { name, info } = chosen;
      const planned = chosen.reason?.text ?? planner.plan(chosen);
      if (typeof planned === "string") {
        return { name, info, bytes: 0, tokens: 0, problem: planned, skipped: chosen.reason?.kind ?? "problem" };
      }
      const bytes = measureListing(name, planned.listing);
      return { name, info, bytes, tokens: Math.ceil(bytes / 4) };
    }),
  };
}

function checkOptions(taker: string, options: OpenApiOptions): void {
  expectOptions(taker, options, OPTIONS);
  const { documentUrl, http } = options;
  expectChoice("arguments", ["flat", "grouped"], options.arguments);
  expectChoice("descriptions", ["lean", "full"], options.descriptions);
  expectChoice("deepObjectArrays", ["brackets", "indices", "repeat"], options.deepObjectArrays);
  expectChoice("pathSeparators", ["refuse", "encode", "keep"], options.pathSeparators);
  if (documentUrl !== undefined) expectOption("documentUrl", documentUrl, URL.canParse(documentUrl), "an absolute URL");
  if (http !== undefined) expectOption("http", http, typeof http.send === "function", "made by createHttpCaller()");
}

/** An operation with its listing, before it is known where requests go. */
interface PlannedOperation {
  readonly listing: ToolListing;
  readonly plan: ArgumentPlan;
  readonly notes: readonly string[];
}

/** Plans operations of one document, with converted schemas that they share. */
class OperationPlanner {
  readonly #model: DocumentModel;
  readonly #options: OpenApiOptions;
  readonly #input: SchemaConverter;
  readonly #output: SchemaConverter;

  constructor(model: DocumentModel, options: OpenApiOptions, unsupported: Map<string, number>) {
    this.#model = model;
    this.#options = options;
    const texts = textsOf(options.descriptions);
    this.#input = new SchemaConverter(model.version, model.references, "input", unsupported, texts);
    this.#output = new SchemaConverter(model.version, model.references, "output", new Map(), texts);
  }

  /** A text is a reason why there can be no tool. */
  plan({ operation, name, overrides, wishes }: ChosenOperation): PlannedOperation | string {
    if (operation.problem !== undefined) return operation.problem;
    const { references } = this.#model;
    const context = { converter: this.#input, references, options: this.#options, bodyType: overrides.bodyType };
    const plan = planArguments(operation, context);
    if (typeof plan === "string") return plan;
    const made = makeListing(operation, plan, this.#input, { name, wishes, overrides });
    if (typeof made === "string") return made;
    const response = { ...this.#options.response, ...overrides.response };
    const input = response.fields === true ? withFieldsArgument(made.listing.input) : made.listing.input;
    const output =
      response.output === true && response.select === undefined ? makeOutput(operation, this.#output) : undefined;
    return {
      listing: { ...made.listing, input: input as ToolListing["input"], ...(output !== undefined && { output }) },
      plan,
      notes: [...plan.notes, ...made.notes],
    };
  }
}

function compile(
  chosen: ChosenOperation,
  planner: OperationPlanner,
  baseUrls: BaseUrls,
  security: Security,
  options: OpenApiOptions,
): { readonly imported: ImportedOperation; readonly report: OperationReport } | string {
  const { operation, name, info, overrides } = chosen;
  const planned = planner.plan(chosen);
  if (typeof planned === "string") return planned;
  const base =
    overrides.baseUrl === undefined
      ? baseUrls.baseUrlOf(operation.servers)
      : { url: expectBaseUrl("baseUrl", overrides.baseUrl) };
  if (base.problem !== undefined) return base.problem;
  const auth =
    overrides.auth === undefined ? security.authOf(operation) : { auth: overrides.auth ?? undefined, schemes: [] };
  if (auth.problem !== undefined) return auth.problem;
  const { listing, plan } = planned;
  const request: RequestSpec = {
    method: operation.method as HttpMethod,
    baseUrl: base.url,
    // Some documents tell operations apart by a fragment, which is never sent.
    path: operation.path.replace(/#.*$/s, ""),
    parameters: plan.parameters,
    ...(plan.body !== undefined && { body: plan.body }),
  };
  const compiled = compileSafely(request, auth.auth, chosen, options);
  if (typeof compiled === "string") return compiled;
  const bytes = measureListing(name, listing);
  const repair = compileRepair(listing.input);
  return {
    imported: {
      name,
      info,
      listing,
      request,
      operation: compiled,
      bytes,
      repairArguments: (args) => (repair === undefined ? args : repair(args)),
    },
    report: {
      id: operation.id,
      method: operation.method,
      path: operation.path,
      outcome: planned.notes.length === 0 ? "tool" : "changed",
      name,
      notes: [...new Set(planned.notes)],
      bytes,
      schemes: auth.schemes,
    },
  };
}

function compileSafely(
  request: RequestSpec,
  auth: ImportedOperation["operation"]["auth"],
  { overrides }: ChosenOperation,
  options: OpenApiOptions,
): ImportedOperation["operation"] | string {
  const { timeout = options.timeout, retries = options.retries } = overrides;
  const response = { ...options.response, ...overrides.response };
  try {
    return compileOperation({ request, auth, response, timeout, retries });
  } catch (error) {
    // The document is at fault if the request cannot be compiled; the options are, if anything else cannot.
    if (error instanceof UsageError && error.code === "INVALID_DEFINITION") return error.message;
    throw error;
  }
}

function reportSkip({ operation, reason: skip }: ChosenOperation, reason: string): OperationReport {
  const { id, method, path } = operation;
  const note = reason.endsWith(".") || reason.endsWith("?") ? reason : `${reason}.`;
  return {
    id,
    method,
    path,
    outcome: "skipped",
    skipped: skip?.kind ?? "problem",
    notes: [note],
    bytes: 0,
    schemes: [],
  };
}

function describeUnmatched(unmatched: readonly string[], operations: readonly OperationModel[]): readonly string[] {
  const ids = operations.flatMap(({ id }) => id ?? []);
  return unmatched.slice(0, 20).map((entry) => {
    const near = findNearestName(entry, ids);
    return `"${entry}" matches no operation.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  });
}

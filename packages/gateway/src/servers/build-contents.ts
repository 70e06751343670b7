import {
  annotationsOf,
  compileHttpTool,
  compileRepair,
  type HttpCaller,
  type HttpRequest,
  parseOpenApi,
  readOpenApi,
} from "@toolwire/openapi";
import { createClearing } from "@toolwire/protocol/internal";
import { type JsonSchemaObject, ToolwireError } from "@toolwire/server";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { GatewayConfig, HttpToolConfig, LimitsConfig, OpenApiConfig, ServerConfig } from "../config/config.ts";
import { readDuration } from "../config/durations.ts";
import { isForwardable } from "../config/forwarded-headers.ts";
import { atPlace, PlacedError } from "../config/placed-error.ts";
import type { ConfigPath, ConfigProblem } from "../config/problem.ts";
import type { ReferenceSources } from "../config/references.ts";
import { HttpRoute } from "../routes/http-route.ts";
import type { Storage } from "../storage/storage.ts";
import { checkNames, checkReport, checkUnusedCredentials, fault } from "./check-contents.ts";
import { type PreparedCredential, prepareCredential } from "./credentials.ts";
import { TextFiller } from "./fill-in-texts.ts";
import { hash } from "./fingerprint.ts";
import { fetchDocument, type HttpCallers, keyOf, MAX_DOCUMENT } from "./http-callers.ts";
import { groupLeftOut, type LeftOut } from "./left-out.ts";
import { ServerCredentials } from "./server-credentials.ts";
import { type BuiltTool, overrideOf, type ServerContents } from "./server-contents.ts";

/** The parts of a gateway that servers are built with. */
export interface BuildHost {
  readonly sources: ReferenceSources;
  readonly storage: Pick<Storage, "secrets" | "redactor">;
  readonly callers: HttpCallers;
  readonly network: GatewayConfig["network"];
  /** Servers that lack a part because it has mistakes, so that nobody knows what is not one of their tools. Default: none. */
  readonly partial?: ReadonlySet<string> | undefined;
}

/** The schema of a tool that takes no arguments. */
const NO_ARGUMENTS: JsonSchemaObject = { type: "object", properties: {}, additionalProperties: false };

/** A warning is given beyond this size of all listings: a model reads them before each answer. */
const MANY_BYTES = 100 * 1024;

/** Makes everything that the configuration of a server says. Throws a `UsageError` if a part of it cannot be made. */
export async function buildContents(
  slug: string,
  config: ServerConfig,
  isFromFile: boolean,
  host: BuildHost,
): Promise<ServerContents> {
  const build = new ContentsBuild(slug, config, host);
  for (const [name, tool] of Object.entries(config.tools ?? {})) build.addTool(name, tool);
  if (config.openapi !== undefined) await build.addDocument(config.openapi);
  return build.finish(isFromFile);
}

/** Gathers the tools of one server. */
class ContentsBuild {
  readonly #slug: string;
  readonly #config: ServerConfig;
  readonly #host: BuildHost;
  readonly #caller: HttpCaller;
  readonly #credentials: ServerCredentials;
  readonly #texts: TextFiller;
  readonly #tools = new Map<string, BuiltTool>();
  readonly #problems: ConfigProblem[] = [];
  #leftOut: readonly LeftOut[] = [];
  /** Rules may name an operation in place of its tool. */
  readonly #operationIds: string[] = [];
  readonly #forwardHeaders: readonly string[];
  /** The part of all fingerprints that is the same for all tools of the server. */
  readonly #common: string;
  #isIncomplete = false;

  constructor(slug: string, config: ServerConfig, host: BuildHost) {
    this.#slug = slug;
    this.#config = config;
    this.#host = host;
    const network = config.network ?? host.network ?? {};
    this.#caller = host.callers.get(network);
    // A stored server may have been checked by a gateway that knew less.
    this.#forwardHeaders = (config.forwardHeaders ?? []).filter(isForwardable).map((name) => name.toLowerCase());
    const { sources: references, storage } = host;
    const sources = { references, secrets: storage.secrets, redactor: storage.redactor, caller: this.#caller };
    const entries = Object.entries(config.credentials ?? {});
    this.#credentials = new ServerCredentials(entries.map(([name, each]) => prepareCredential(name, each, sources)));
    this.#texts = new TextFiller(references, storage.redactor);
    this.#common = hash([
      this.#forwardHeaders,
      keyOf(network.allow),
      config.credentials,
      config.limits?.timeout,
      config.limits?.retries,
      this.#credentials.all.map(({ fingerprint }) => fingerprint),
    ]);
  }

  finish(isFromFile: boolean): ServerContents {
    const slug = this.#slug;
    const config = this.#config;
    const isWhole = !this.#isIncomplete && this.#host.partial?.has(slug) !== true;
    if (isWhole) {
      this.#problems.push(...checkUnusedCredentials(slug, config, this.#credentials.used));
      // Tools of upstreams are known when these are connected. A document without tools has said so already.
      const isKnown = config.upstreams === undefined && (this.#tools.size > 0 || !this.#problems.some(isError));
      if (isKnown) this.#problems.push(...checkNames(slug, config, [...this.#tools.keys()], this.#operationIds));
    }
    return {
      slug,
      config,
      isFromFile,
      tools: [...this.#tools.values()],
      credentials: this.#credentials.all,
      problems: this.#problems,
      leftOut: this.#leftOut,
      isIncomplete: this.#isIncomplete,
    };
  }

  addTool(name: string, config: HttpToolConfig): void {
    const place = ["servers", this.#slug, "tools", name];
    const { request, response, description, title, annotations, input } = config;
    const credential = this.#credentials.ofTool(config.credential);
    const { text: url, hidden: inUrl } = this.#texts.fill(request.url, place);
    const { texts: headers, hidden: inHeaders } = this.#texts.fillFields(request.headers, place);
    const filled = { ...request, url, headers };
    const { timeout, retries } = this.#limitsOf(config.limits);
    const { listed, operation } = atPlace(place, () =>
      compileHttpTool({
        description,
        method: filled.method,
        url: filled.url,
        input,
        params: filled.params,
        body: filled.body,
        headers: filled.headers,
        auth: credential?.auth,
        response,
        timeout,
        retries,
        http: this.#caller,
      }),
    );
    const route = new HttpRoute({
      source: "http",
      listing: {
        title,
        description,
        input: (listed as JsonSchemaObject | undefined) ?? NO_ARGUMENTS,
        annotations: { ...annotationsOf(filled.method), ...annotations },
      },
      // Nothing is found by the words of the URL, which may have a secret in it.
      hints: { method: filled.method },
      operation,
      caller: this.#caller,
      forwardHeaders: this.#forwardHeaders,
      hidden: hiddenOf([...inUrl, ...inHeaders], ...(credential === undefined ? [] : [credential])),
      note: (secret) => this.#host.storage.redactor.note(secret),
      repair: compileRepair(listed),
      connect: credential?.connect,
    });
    this.#tools.set(name, { name, route, fingerprint: hash([this.#common, config, filled.url, filled.headers]) });
  }

  async addDocument(config: OpenApiConfig): Promise<void> {
    const place = ["servers", this.#slug, "openapi"];
    const document = await this.#readDocument(config, place);
    if (document === undefined) return;
    const { include, exclude, deprecated, variables, hosts, names, descriptions, arguments: form } = config;
    const { documentUrl } = document;
    const base = config.baseUrl === undefined ? undefined : this.#texts.fill(config.baseUrl, place);
    const baseUrl = base?.text;
    // An API may write into its document what it was fetched with.
    const clearing = createClearing(document.hidden);
    const { operations, report } = atPlace(place, () =>
      readOpenApi(document.value, {
        include,
        exclude,
        deprecated,
        names,
        descriptions,
        baseUrl,
        variables,
        hosts,
        documentUrl,
        arguments: form,
        auth: this.#credentials.ofSchemes(document.value, config.credential),
        http: this.#caller,
      }),
    );
    for (const imported of operations) {
      const { name, info, operation, request } = imported;
      const { id: operationId, method, path, tags, isDeprecated } = info;
      const listing = clearing.value(imported.listing);
      if (clearing.text(name) !== name) {
        this.#warn(place, "An operation is left out, because its name contains a credential.");
        continue;
      }
      if (this.#tools.has(name)) {
        this.#warn(place, `The operation ${name} is left out: there is a tool of this name in \`tools\`.`);
        continue;
      }
      if (operationId !== undefined) this.#operationIds.push(operationId);
      const { timeout, retries } = this.#limitsOf(overrideOf(this.#config, name, operationId)?.limits);
      const route = new HttpRoute({
        source: "openapi",
        listing,
        operationId,
        hints: { method, path, tags, isDeprecated },
        operation,
        caller: this.#caller,
        forwardHeaders: this.#forwardHeaders,
        hidden: hiddenOf([...document.hidden, ...(base?.hidden ?? [])], ...this.#credentials.sentWith(operation.auth)),
        note: (secret) => this.#host.storage.redactor.note(secret),
        timeout,
        retries,
        repair: (args) => imported.repairArguments(args),
        connect: this.#credentials.connectOf(operation.auth),
      });
      this.#tools.set(name, {
        name,
        route,
        fingerprint: hash([this.#common, listing, info, request, timeout, retries]),
      });
    }
    for (const name of report.operations.flatMap(({ schemes }) => schemes)) this.#credentials.used.add(name);
    this.#leftOut = groupLeftOut(report.operations);
    this.#problems.push(...checkReport(report, config, place));
    if (report.bytes > MANY_BYTES && this.#config.mode !== "search") {
      const size = `${Math.round(report.bytes / 1024)} KiB, about ${report.tokens} tokens`;
      this.#warn(place, `The tools of the document have ${size}. Use \`include\`, or \`mode: search\`.`);
    }
  }

  /** Reads a document. One that cannot be fetched now may be there later: the server runs without it. */
  async #readDocument({ document, credential }: OpenApiConfig, place: ConfigPath): Promise<ReadDocument | undefined> {
    if (typeof document !== "string") return { value: document, hidden: [] };
    const { text: name, hidden } = this.#texts.fill(document, place);
    if (!/^https?:/i.test(name)) {
      const text = await readDocumentFile(resolve(this.#host.sources.folder, name), [...place, "document"]);
      return { value: atPlace([...place, "document"], () => parseOpenApi(text)), hidden: [] };
    }
    try {
      const { text, secrets } = await this.#fetch(name, credential);
      return { value: parseOpenApi(text), documentUrl: name, hidden: [...hidden, ...secrets] };
    } catch (error) {
      if (!(error instanceof ToolwireError)) throw error;
      const message = `The OpenAPI document could not be fetched, and is tried again: ${error.message}`;
      this.#problems.push(fault([...place, "document"], message));
      this.#isIncomplete = true;
      return undefined;
    }
  }

  /** Fetches a document. Resolves to its text, and to the credentials that its server was sent. */
  async #fetch(
    url: string,
    credential: string | undefined,
  ): Promise<{ readonly text: string; readonly secrets: readonly string[] }> {
    const { origin, pathname, search } = new URL(url);
    const request: HttpRequest = { method: "GET", origin, path: pathname + search, headers: {}, body: undefined };
    const signal = AbortSignal.timeout(60_000);
    const prepared = credential === undefined ? undefined : this.#credentials.ofTool(credential);
    await prepared?.auth?.apply(request, { principal: undefined, signal });
    const secrets = [...(request.secrets ?? []), ...(prepared?.hidden() ?? [])];
    for (const secret of secrets) this.#host.storage.redactor.note(secret);
    return { text: await fetchDocument(this.#caller, origin + request.path, request.headers, signal), secrets };
  }

  #warn(path: ConfigPath, message: string): void {
    this.#problems.push({ severity: "warning", path, message });
  }

  #limitsOf(limits: LimitsConfig | undefined): {
    readonly timeout: number | undefined;
    readonly retries: number | undefined;
  } {
    const timeout = limits?.timeout ?? this.#config.limits?.timeout;
    return {
      timeout: timeout === undefined ? undefined : readDuration(timeout),
      retries: limits?.retries ?? this.#config.limits?.retries,
    };
  }
}

/** A document, and what its server was sent that nobody may see. */
interface ReadDocument {
  readonly value: unknown;
  readonly documentUrl?: string;
  readonly hidden: readonly string[];
}

/** What requests of a tool contain that nobody may see. */
function hiddenOf(
  fixed: readonly string[],
  ...credentials: readonly PreparedCredential[]
): (principal: string | undefined) => readonly string[] {
  if (credentials.length === 0) return () => fixed;
  return (principal) => [...fixed, ...credentials.flatMap((credential) => credential.hidden(principal))];
}

async function readDocumentFile(file: string, place: ConfigPath): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new PlacedError(place, `The document cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
  if (text.length > MAX_DOCUMENT) throw new PlacedError(place, "The document is too large.");
  return text;
}

function isError({ severity }: ConfigProblem): boolean {
  return severity === "error";
}

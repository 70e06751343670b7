import type { Auth, HttpCaller, HttpOperation, HttpRequest, HttpResponse, SendOptions } from "@toolwire/openapi";
import type { CallToolResult, Context, JsonSchemaObject, ToolAnnotations } from "@toolwire/server";
import type { SearchHints } from "@toolwire/server/search";
import type { Call } from "./call.ts";
import type { ToolRoute } from "./tool-route.ts";

/** The members of an HTTP tool that a listing shows. */
interface HttpListing {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly input: JsonSchemaObject;
  readonly output?: JsonSchemaObject | undefined;
  readonly annotations?: ToolAnnotations | undefined;
}

/** The parts of an HTTP tool. */
export interface HttpRouteOptions {
  readonly source: "http" | "openapi";
  readonly listing: HttpListing;
  readonly operationId?: string | undefined;
  readonly hints?: SearchHints | undefined;
  readonly operation: HttpOperation;
  readonly caller: HttpCaller;
  /** Inbound headers that are copied to the request, in lower case. */
  readonly forwardHeaders: readonly string[];
  /** Replaces the limits of the operation. */
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  readonly repair?: ((args: object) => object) | undefined;
  /** What a request contains for this caller that nobody may see: values of references, and parts of credentials. */
  readonly hidden: (principal: string | undefined) => readonly string[];
  /** Hears of the tokens that are sent. */
  readonly note: (secret: string) => void;
  /** Called if the caller has no credential: may ask them to connect. Returns whether they have one now. */
  readonly connect?: ((ctx: Context) => Promise<void>) | undefined;
}

/** A tool that is an operation of an HTTP API. */
export class HttpRoute implements ToolRoute<HttpRequest, HttpResponse> {
  readonly source: "http" | "openapi";
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly input: JsonSchemaObject;
  readonly output: JsonSchemaObject | undefined;
  readonly annotations: ToolAnnotations | undefined;
  readonly operationId: string | undefined;
  readonly hints: SearchHints | undefined;
  readonly repair?: (args: object) => object;
  readonly #operation: HttpOperation;
  readonly #auth: Auth | undefined;
  readonly #caller: HttpCaller;
  readonly #forwardHeaders: readonly string[];
  readonly #limits: HttpOperation["limits"];
  readonly #hidden: HttpRouteOptions["hidden"];
  readonly #note: HttpRouteOptions["note"];
  readonly #connect: HttpRouteOptions["connect"];

  constructor(options: HttpRouteOptions) {
    const { listing, operation, timeout, retries } = options;
    this.source = options.source;
    this.title = listing.title;
    this.description = listing.description;
    this.input = listing.input;
    this.output = listing.output;
    this.annotations = listing.annotations;
    this.operationId = options.operationId;
    this.hints = options.hints;
    if (options.repair !== undefined) this.repair = options.repair;
    this.#operation = operation;
    this.#auth = operation.auth;
    this.#caller = options.caller;
    this.#forwardHeaders = options.forwardHeaders;
    this.#hidden = options.hidden;
    this.#note = options.note;
    this.#connect = options.connect;
    this.#limits = {
      ...operation.limits,
      ...(timeout !== undefined && { timeout }),
      ...(retries !== undefined && { retries }),
    };
  }

  resolve(args: object): HttpRequest {
    return this.#operation.resolve(args);
  }

  authorize(request: HttpRequest, call: Call, ctx: Context): HttpRequest | Promise<HttpRequest> {
    for (const name of this.#forwardHeaders) {
      const value = ctx.header(name);
      // The definition of the tool comes first, and the credential overwrites both.
      if (value === undefined) continue;
      request.headers[name] ??= value;
      call.forwarded = [...(call.forwarded ?? []), value];
    }
    const auth = this.#auth;
    if (auth === undefined) return request;
    if (this.#connect !== undefined) return this.#connectFirst(auth, request, call, ctx);
    const waiting = auth.apply(request, call);
    return waiting === undefined ? request : waiting.then(() => request);
  }

  async #connectFirst(auth: Auth, request: HttpRequest, call: Call, ctx: Context): Promise<HttpRequest> {
    await this.#connect?.(ctx);
    await auth.apply(request, call);
    return request;
  }

  async send(request: HttpRequest, call: Call): Promise<HttpResponse> {
    const { timeout, maxBytes, retries } = this.#limits;
    const options = { cancellation: call.cancellation, timeout, maxBytes, retries };
    this.#noteSecrets(request, call);
    let response = await this.#send(request, options, call);
    const { attempts } = response;
    // A token may have been revoked before it expired. The API has not done anything, so the request can be sent again.
    if (response.status === 401 && this.#auth?.renew?.(call) === true) {
      await this.#auth.apply(request, call);
      this.#noteSecrets(request, call);
      response = await this.#send(request, options, call);
      call.attempts = attempts;
    }
    call.httpStatus = response.status;
    if (response.status >= 500) call.failure = `${targetOf(request)} answered with HTTP status ${response.status}.`;
    call.attempts += response.attempts;
    call.firstByteMs = response.firstByteMs;
    call.responseBytes = response.body.length;
    return response;
  }

  async #send(request: HttpRequest, options: SendOptions, call: Call): Promise<HttpResponse> {
    try {
      return await this.#caller.send(request, options);
    } catch (error) {
      // Errors without a cause are about the call, or the caller has told the operator.
      const { cause } = error as Error;
      if (cause instanceof Error) call.failure = `${targetOf(request)} failed: ${cause.message}.`;
      throw error;
    }
  }

  /** Notes what the answer must not contain. The log must not contain it either, whoever's call it is. */
  #noteSecrets(request: HttpRequest, call: Call): void {
    const sent = request.secrets ?? [];
    for (const secret of sent) this.#note(secret);
    const hidden = this.#hidden(call.principal);
    call.secrets = hidden.length === 0 ? sent : [...sent, ...hidden];
  }

  transform(response: HttpResponse, call: Call, args: object): CallToolResult {
    const { result, isTruncated } = this.#operation.transform(response, args, call.secrets, call.forwarded);
    call.isTruncated = isTruncated;
    return result;
  }
}

/** Where a request goes, without its path and query: they may have what only the caller should know. */
function targetOf({ method, origin }: HttpRequest): string {
  return `${method} ${origin}`;
}

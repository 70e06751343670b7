/** Cross-origin access from browsers (WHATWG Fetch, "CORS protocol"), for pages whose origin is allowed. */
import type { HeaderList, HttpFront } from "./adapter.ts";
import { decodeHeaderValue, NAMED_BY, type EncodedParts } from "@toolwire/protocol/internal";
import type { RequestMessage } from "@toolwire/protocol";
import { callerKey } from "../admission/callers.ts";
import type { Origin, Principal, ServerConnection } from "../../binding.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import { EVENT_STREAM, EventStream } from "./events.ts";
import * as refusals from "./errors.ts";
import type { Refusal } from "../admission/refusals.ts";

/** Content negotiation (RFC 9110, section 12.5.1) between the two forms an answer can take. */

/** What a client takes for an answer. */
export interface Accepts {
  readonly json: boolean;
  readonly events: boolean;
  /** It says `text/event-stream` itself, rather than taking whatever comes, as `curl` does. */
  readonly namesEvents: boolean;
}

/** What every client of the protocol has to accept, nearly always in these words. */
const BOTH: Accepts = { json: true, events: true, namesEvents: true };

/** Reads an `Accept` header; without one a client takes anything. */
export function readAccept(header = "*/*"): Accepts {
  if (header === "application/json, text/event-stream") return BOTH;
  const ranges = new Map<string, boolean>();
  for (const part of header.split(",")) {
    const [range = "", ...parameters] = splitParameters(part);
    ranges.set(range, !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter)));
  }
  // The most specific range that matches decides.
  const takes = (type: string, subtype: string): boolean =>
    ranges.get(`${type}/${subtype}`) ?? ranges.get(`${type}/*`) ?? ranges.get("*/*") ?? false;
  return {
    json: takes("application", "json"),
    events: takes("text", "event-stream"),
    namesEvents: ranges.get("text/event-stream") === true,
  };
}

/** Whether a `Content-Type` says JSON in UTF-8. */
export function isJsonType(header = ""): boolean {
  if (header === "application/json") return true;
  const [type, ...parameters] = splitParameters(header);
  return (
    type === "application/json" && !parameters.some((parameter) => /^charset\s*=(?!\s*"?utf-?8"?$)/.test(parameter))
  );
}

/** A media type and its parameters, in lower case. */
function splitParameters(value: string): string[] {
  return value
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
}

/** Lets a page read an answer, and the headers in it that matter. */
export function corsFields(origin: string): HeaderList {
  return [
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Expose-Headers",
    "Mcp-Session-Id, WWW-Authenticate, Retry-After",
    "Vary",
    "Origin",
  ];
}

const NO_HEADERS: HeaderList = [];

/** One HTTP request on its way through the rules: where its message came from, and the ways to answer it. */
export class HttpCall implements Origin {
  readonly binding = "http";
  readonly requiresParamHeaders = true;
  connection: object;
  principal: Principal | undefined;
  state: ServerConnection | undefined;
  readonly front: HttpFront;
  readonly endpoint: HttpEndpoint;
  #accepts: Accepts | undefined;
  #fields: HeaderList = NO_HEADERS;

  constructor(front: HttpFront, endpoint: HttpEndpoint) {
    this.front = front;
    this.endpoint = endpoint;
    // Where connections cannot be told apart, everybody who has no session shares the limits of one.
    this.connection = front.connection ?? endpoint;
  }

  /** Who shares a limit: all that one caller sends over any number of connections, if it is known who calls. */
  get client(): string | object {
    return this.principal?.id ?? this.connection;
  }

  /** Who shares what is kept for longer than a request: the caller if it is known, or else its network. */
  get caller(): string | undefined {
    return callerKey(this.principal, this.front.address);
  }

  header(name: string): string | undefined {
    return this.front.header(name);
  }

  get protocolVersion(): string | undefined {
    return this.front.header("mcp-protocol-version");
  }

  /**
   * The headers of a modern request have to be there and repeat what its body says (2026-07-28, "Server Validation"): a
   * gateway may have decided by the headers, and the server acts by the body.
   */
  checkRequest({ method, params }: RequestMessage, protocolVersion: string): void {
    const source = '_meta["io.modelcontextprotocol/protocolVersion"]';
    this.#expectRepeated("MCP-Protocol-Version", source, protocolVersion);
    this.#expectRepeated("Mcp-Method", "method", method);
    const member = NAMED_BY.get(method);
    const name = member && (params as { readonly name?: unknown; readonly uri?: unknown })[member];
    // A body without a name is refused by its handler.
    if (typeof name === "string") this.#expectRepeated("Mcp-Name", `params.${member}`, name, decodeHeaderValue);
  }

  #expectRepeated(name: string, source: string, expected: string, decode: typeof decodeHeaderValue = String): void {
    const value = this.header(name.toLowerCase());
    const said = value && decode(value);
    if (said !== expected) throw refusals.mismatch(name, value, said, source, expected);
  }

  get accepts(): Accepts {
    return (this.#accepts ??= readAccept(this.front.header("accept")));
  }

  /** Whether messages can be sent ahead of the answer. Whoever does not ask for events gets one plain JSON body. */
  get mayStream(): boolean {
    const { json, events, namesEvents } = this.accepts;
    return namesEvents || (events && !json);
  }

  /** Whether even a lone answer should be an event. */
  get prefersEvents(): boolean {
    const { json, namesEvents } = this.accepts;
    return !json || (namesEvents && this.endpoint.settings.prefersEvents);
  }

  /** Sends a whole answer. */
  send(status: number, headers: HeaderList = NO_HEADERS, body?: string | EncodedParts): void {
    this.front.send(status, this.#complete(headers), body);
  }

  /** Begins an event stream. */
  openEvents(): EventStream {
    const { keepAlive, settings } = this.endpoint;
    return new EventStream(this.front.stream(this.#complete(EVENT_STREAM)), keepAlive, settings.maxQueuedBytes);
  }

  /** Answers with one of the usual refusals. */
  turnAway(choose: (from: typeof refusals) => Refusal | void): false {
    refusals.refuse(this, choose(refusals));
    return false;
  }

  /** Adds header fields that belong into whatever will be answered. */
  addFields(fields: HeaderList): void {
    this.#fields = [...this.#fields, ...fields];
  }

  #complete(headers: HeaderList): HeaderList {
    return this.#fields.length === 0 ? headers : [...headers, ...this.#fields];
  }
}

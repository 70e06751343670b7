import type { RequestMessage } from "@toolwire/protocol";
import { decodeHeaderValue, NAME_HEADER_MEMBERS, type EncodedParts } from "@toolwire/protocol/internal";
import type { Origin, Principal, ServerConnection } from "../../binding.ts";
import { isCredential } from "../admission/caller-check.ts";
import { callerKey } from "../admission/callers.ts";
import type { HeaderList, HttpRequestAdapter } from "./adapter.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import { headerMismatch } from "./errors.ts";
import { EVENT_STREAM, EventStream } from "./events.ts";

const NO_HEADERS: HeaderList = [];

/** One HTTP request: where its messages come from, which forms of response it accepts, and where the response goes. */
export class HttpRequest implements Origin {
  readonly binding = "http";
  readonly requiresParamHeaders = true;
  connection: object;
  principal: Principal | undefined;
  state: ServerConnection | undefined;
  readonly adapter: HttpRequestAdapter;
  readonly endpoint: HttpEndpoint;
  #accepts: Accepts | undefined;
  #responseFields: HeaderList = NO_HEADERS;

  constructor(adapter: HttpRequestAdapter, endpoint: HttpEndpoint) {
    this.adapter = adapter;
    this.endpoint = endpoint;
    // On platforms that do not expose connections, all requests without a session share one.
    this.connection = adapter.connection ?? endpoint;
  }

  /** The client whose requests in flight are counted together: the principal on all its connections, or a connection. */
  get client(): string | object {
    return this.principal?.id ?? this.connection;
  }

  /** The client whose sessions and streams are counted together: the principal, or else the network it calls from. */
  get caller(): string | undefined {
    return callerKey(this.principal, this.adapter.address);
  }

  /** Looks up a header, also for handlers. They do not get tokens that were made for this server: they might pass them on. */
  header(name: string): string | undefined {
    if (this.endpoint.settings.callerCheck?.hidesCredentials === true && isCredential(name)) return undefined;
    return this.adapter.header(name);
  }

  get protocolVersion(): string | undefined {
    return this.adapter.header("mcp-protocol-version");
  }

  /**
   * Checks that the headers of a modern request are present and repeat its body (2026-07-28, "Server Validation"): a gateway
   * may have routed the request by its headers, but the server acts by the body.
   */
  checkRequest({ method, params }: RequestMessage, protocolVersion: string, nameParam?: string): void {
    const version = this.protocolVersion;
    if (version !== protocolVersion) {
      const source = '_meta["io.modelcontextprotocol/protocolVersion"]';
      throw headerMismatch("MCP-Protocol-Version", version, version, source, protocolVersion);
    }
    const methodHeader = this.adapter.header("mcp-method");
    if (methodHeader !== method) throw headerMismatch("Mcp-Method", methodHeader, methodHeader, "method", method);
    const member = NAME_HEADER_MEMBERS.get(method) ?? nameParam;
    const name = member && (params as { readonly [member: string]: unknown })[member];
    // A body without a name is refused later, in the words of its method.
    if (typeof name !== "string") return;
    const nameHeader = this.adapter.header("mcp-name");
    const decoded = nameHeader === undefined ? undefined : decodeHeaderValue(nameHeader);
    if (decoded !== name) throw headerMismatch("Mcp-Name", nameHeader, decoded, `params.${member}`, name);
  }

  get accepts(): Accepts {
    return (this.#accepts ??= readAccept(this.adapter.header("accept")));
  }

  /** Whether messages can be sent ahead of the response. Clients that do not ask for events get one JSON body. */
  get mayStream(): boolean {
    const { json, events, namesEvents } = this.accepts;
    return namesEvents || (events && !json);
  }

  /** Whether even a response without earlier messages should be an event stream. */
  get prefersEvents(): boolean {
    const { json, namesEvents } = this.accepts;
    return !json || (namesEvents && this.endpoint.settings.prefersEvents);
  }

  /** Sends a whole response. */
  respond(status: number, headers: HeaderList = NO_HEADERS, body?: string | EncodedParts): void {
    this.adapter.send(status, this.#withResponseFields(headers), body);
  }

  /** Begins a response that is an event stream. */
  openEventStream(): EventStream {
    const { keepAlive, settings } = this.endpoint;
    const stream = this.adapter.stream(this.#withResponseFields(EVENT_STREAM));
    return new EventStream(stream, keepAlive, settings.maxQueuedBytes);
  }

  /** Adds header fields to the response, whichever it will be. */
  addResponseFields(fields: HeaderList): void {
    this.#responseFields = [...this.#responseFields, ...fields];
  }

  #withResponseFields(headers: HeaderList): HeaderList {
    return this.#responseFields === NO_HEADERS ? headers : [...headers, ...this.#responseFields];
  }
}

/** The forms of response that a client accepts. */
export interface Accepts {
  readonly json: boolean;
  readonly events: boolean;
  /** The header names `text/event-stream` itself. A wildcard does not count: `curl` sends one. */
  readonly namesEvents: boolean;
}

/** The specification requires clients to accept both; nearly all send exactly this header. */
const USUAL_ACCEPT = "application/json, text/event-stream";
const BOTH: Accepts = { json: true, events: true, namesEvents: true };

/** Reads an `Accept` header (RFC 9110, section 12.5.1); a client without one accepts anything. */
export function readAccept(header = "*/*"): Accepts {
  if (header === USUAL_ACCEPT) return BOTH;
  const ranges = new Map<string, boolean>();
  for (const part of header.split(",")) {
    const [range = "", ...parameters] = splitParameters(part);
    ranges.set(range, !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter)));
  }
  // The most specific range that matches decides.
  const accepts = (type: string, subtype: string): boolean =>
    ranges.get(`${type}/${subtype}`) ?? ranges.get(`${type}/*`) ?? ranges.get("*/*") ?? false;
  return {
    json: accepts("application", "json"),
    events: accepts("text", "event-stream"),
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

/** Splits a media type from its parameters, all in lower case. */
function splitParameters(value: string): string[] {
  return value
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
}

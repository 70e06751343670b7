import type { EncodedParts } from "@toolwire/protocol/internal";
import type { Revision } from "@toolwire/protocol";
import { callerKey } from "../serving/caller-key.ts";
import type { LegacySession, Origin, Principal } from "../serving/contract.ts";
import { readAccept, type Accepts } from "./accept.ts";
import type { HeaderList, HttpFront } from "./front.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import { EVENT_STREAM, EventStream } from "./event-stream.ts";
import type * as refusals from "./refusals.ts";
import type { Refusal } from "../serving/refusals.ts";

/** The headers of every JSON body. */
export const JSON_BODY: HeaderList = ["Content-Type", "application/json"];

const NO_HEADERS: HeaderList = [];

/** One HTTP request on its way through the rules: where its message came from, and the ways to answer it. */
export class HttpCall implements Origin {
  readonly binding = "http";
  readonly repeatsArguments = true;
  connection: object;
  principal: Principal | undefined;
  session: LegacySession | undefined;
  plainRevision: Revision | undefined;
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

  /** Answers with one of the usual refusals, or by what else is loaded with them. */
  turnAway(choose: (from: typeof refusals) => Refusal | void): false {
    import("../parts/http.ts")
      .then((from) => from.refuse(this, choose(from)))
      .catch((error: unknown) => {
        // A part that cannot be loaded, which nobody else will hear of.
        this.endpoint.serving.diagnose({ level: "error", message: "A request could not be refused.", error });
        this.send(500);
      });
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

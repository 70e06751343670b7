import {
  encodeMessage,
  ErrorCode,
  type Exchange,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  type RpcError,
} from "@toolwire/protocol";
import { encodeParts, type EncodedParts, type Rostered } from "@toolwire/protocol/internal";
import type { ServerReply } from "../../binding.ts";
import { JSON_BODY } from "./adapter.ts";
import { refuse, ruledOut } from "./errors.ts";
import type { HttpCall } from "./request.ts";
import { encodeMessageEvent, EVENT_STREAM, type MessageStream } from "./events.ts";

/** What is given to the client for one POST: a JSON body, or an event stream once something has to go out earlier. */
export abstract class PostAnswer implements Rostered {
  place: number | undefined = undefined;
  readonly call: HttpCall;
  #stream: MessageStream | undefined;
  #ended = false;
  #gone = false;

  constructor(call: HttpCall) {
    this.call = call;
  }

  /** How many requests it answers. */
  readonly load: number = 1;

  /** Whether the final message has yet to come. */
  get isOpen(): boolean {
    return !this.#ended;
  }

  /** Stops all work behind this answer. `status` is for clients that have not given it up; see {@link abandon}. */
  abstract cancel(reason: string, status?: number): void;

  /** Begins to wait for what could not be answered at once. */
  wait(): void {
    this.call.endpoint.hold(this);
    this.call.front.onGone(() => {
      this.#gone = true;
      this.#stream?.lost();
      this.lost();
    });
  }

  /** The client went away. Closing the response is how modern clients cancel (2026-07-28, "Cancellation"). */
  protected lost(): void {
    this.cancel("the client closed the connection");
  }

  /** The final message is about to be sent, or never will be. */
  protected ended(): void {}

  /** Opens the stream; sessions have another kind. */
  protected openStream(): MessageStream {
    return this.call.openEvents();
  }

  /** The text of an event stream that has nothing on it but the answer. */
  protected loneEvent(text: string): string {
    return encodeMessageEvent(text);
  }

  /** The stream, opened if it has to be; `undefined` for clients that take none. */
  get stream(): MessageStream | undefined {
    if (this.#stream === undefined && this.canStream && !this.#gone) this.#stream = this.openStream();
    return this.#stream;
  }

  /** Whether the client is still there to be answered. */
  get isConnected(): boolean {
    return !this.#gone;
  }

  /** Whether the stream was opened. */
  protected get isStreaming(): boolean {
    return this.#stream !== undefined;
  }

  protected get canStream(): boolean {
    return this.call.mayStream;
  }

  /** Whether the final message will be an event, rather than a JSON body. */
  protected isEvent(status: number): boolean {
    return this.#stream !== undefined || (status === 200 && this.call.prefersEvents);
  }

  /** Ends the answer with its final message, which must be text if it is to be an event. */
  protected conclude(status: number, body: string | EncodedParts): void {
    const { call } = this;
    const isEvent = typeof body === "string" && this.isEvent(status);
    if (!this.#end()) return;
    if (isEvent && this.#stream !== undefined) this.#stream.finish(body);
    else if (this.#gone) return;
    else if (isEvent) call.send(200, EVENT_STREAM, this.loneEvent(body));
    else call.send(status, JSON_BODY, body);
    const { unsent } = call.front;
    if (unsent !== undefined) call.endpoint.load.addUntil(call.client, this.load, unsent);
  }

  /**
   * Ends the answer without a final message. If nothing was sent yet, the client gets the status. There is none for a
   * request that the client has cancelled: it should get no response (2025-11-25, "Cancellation"), but a POST with a request
   * has to be answered with JSON or an event stream ("Sending Messages to the Server"), so it gets a stream without events.
   */
  protected abandon(status: number | undefined): void {
    if (!this.#end()) return;
    if (this.#stream !== undefined) this.#stream.finish();
    else if (!this.#gone) {
      if (status === undefined) this.call.send(200, EVENT_STREAM, "");
      else this.call.send(status);
    }
  }

  /** Ends the answer, because the client gets something else. Returns whether it was open. */
  protected endUnanswered(): boolean {
    return this.#end();
  }

  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.call.endpoint.release(this);
    this.ended();
    return true;
  }
}

/** The answer to one request. */
export class Answer extends PostAnswer implements ServerReply {
  readonly id: RequestId;
  #work: Exchange | undefined;

  constructor(call: HttpCall, id: RequestId) {
    super(call);
    this.id = id;
  }

  /** Takes charge of work that goes on. */
  begin(work: Exchange): void {
    if (!this.isOpen) return;
    this.#work = work;
    this.wait();
  }

  /** The work that it has waited for has begun. */
  goOn(work: Exchange): void {
    this.#work = work;
  }

  notify(message: NotificationMessage): void | Promise<void> {
    if (!this.isOpen) return;
    // Encoded first, so that what cannot be sent does not open a stream.
    const text = encodeMessage(message);
    return this.stream?.send(text);
  }

  respond(message: ResponseMessage): void {
    if (!this.isOpen) return;
    const status = this.statusOf(message);
    this.conclude(status, this.isEvent(status) ? encodeMessage(message) : encodeParts(message));
  }

  /** The request breaks a rule of its revision, and nothing was run for it. */
  rejectRequest(error: RpcError): void {
    if (this.endUnanswered()) refuse(this.call, ruledOut(error, this.id));
  }

  busyUntil(settled: Promise<void>): void {
    const { client, endpoint } = this.call;
    endpoint.load.addUntil(client, 1, settled);
  }

  override cancel(reason: string, status?: number): void {
    if (!this.isOpen) return;
    // What the client was asked on the way is taken back while there is a stream to say so on.
    this.#work?.cancel(reason);
    this.abandon(status);
  }

  /** Before 2026-07-28, every answer to a request that was understood is a 200. */
  protected statusOf(_message: ResponseMessage): number {
    return 200;
  }
}

/** The errors that have a status of their own (2026-07-28, "Request Metadata"). */
const STATUSES: ReadonlyMap<number, number> = new Map([
  [ErrorCode.MethodNotFound, 404],
  [ErrorCode.HeaderMismatch, 400],
  [ErrorCode.MissingRequiredClientCapability, 400],
  [ErrorCode.UnsupportedProtocolVersion, 400],
]);

/** The answer to a modern request. */
export class ModernAnswer extends Answer {
  /** A subscription is a stream by nature, so it takes any client that does not rule streams out. */
  readonly #isSubscription: boolean;

  constructor(call: HttpCall, id: RequestId, method: string) {
    super(call, id);
    this.#isSubscription = method === "subscriptions/listen";
    // Each has a connection of its own, whether the platform shows it or not.
    if (this.#isSubscription && call.front.connection === undefined) call.connection = call;
  }

  protected override get canStream(): boolean {
    return super.canStream || (this.#isSubscription && this.call.accepts.events);
  }

  protected override statusOf(message: ResponseMessage): number {
    return ("error" in message ? STATUSES.get(message.error.code) : undefined) ?? 200;
  }
}

const NOT_BEGUN: Exchange = { cancel() {} };

/**
 * Has a request answered, if there is room for another one. One that was sent ahead of the answers to others takes its place
 * now, but begins when it can be answered: what it returns would only wait in memory.
 */
export function serveRequest(request: RequestMessage, answer: Answer): void {
  const { call } = answer;
  const { endpoint, front } = call;
  if (!endpoint.load.hasRoom(call, 1, request.id)) return;
  if (!front.isBehind) return answer.begin(endpoint.serving.serve(request, answer, call));
  answer.begin(NOT_BEGUN);
  front.onTurn(() => {
    if (answer.isOpen) answer.goOn(endpoint.serving.serve(request, answer, call));
  });
}

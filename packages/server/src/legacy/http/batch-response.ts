import {
  encodeMessage,
  ErrorCode,
  MalformedMessage,
  RpcError,
  toErrorResponse,
  type Exchange,
  type ExchangeSink,
  type Message,
  type NotificationMessage,
  type Reply,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "@toolwire/protocol";
import { claimsModernEra } from "@toolwire/protocol/internal";
import { JSON_BODY } from "../../bindings/http/adapter.ts";
import { notAcceptable, refuse } from "../../bindings/http/errors.ts";
import { encodeMessageEvent, EVENT_STREAM, type MessageStream } from "../../bindings/http/events.ts";
import type { HttpRequest } from "../../bindings/http/request.ts";
import { PostResponse } from "../../bindings/http/response.ts";
import { readBatch, refuseBatch } from "./batch.ts";
import { isThenable } from "../../request/thenable.ts";
import { cancelledByClient, duplicateId, refusalOf } from "./errors.ts";
import { openResponseStream } from "./response.ts";
import { encodeWholeStream } from "./session-stream.ts";
import type { HttpSession } from "./session.ts";

/** Handles several messages in one JSON array (revision 2025-03-26 only) and responds to the requests in it together. */
export function acceptBatch(request: HttpRequest, items: readonly unknown[], session: HttpSession | undefined): void {
  const messages = readBatch(request, items, session);
  if (messages === undefined) return;
  const requestCount = messages.filter((message) => "method" in message && "id" in message).length;
  const { json, events } = request.accepts;
  if (requestCount > 0 && !json && !events) return refuseBatch(request, items, session, notAcceptable());
  const refusal = request.endpoint.limits.check(request.client, requestCount);
  if (refusal !== undefined) return refuse(request, refusal);

  const response = new BatchResponse(request, session, messages, requestCount);
  const { adapter } = request;
  if (requestCount === 0 || !adapter.isPipelined) return response.start();
  // Starts when the response can be sent: until then, the results would only wait in memory.
  response.wait();
  adapter.onTurn(() => {
    if (response.isOpen) response.start();
  });
}

/** The response to a batch: one JSON array, or a stream on which each response is sent when it is ready. */
class BatchResponse extends PostResponse {
  readonly session: HttpSession | undefined;
  readonly #messages: readonly (Message | MalformedMessage)[];
  /** The requests that are not answered yet, by id. */
  readonly #members = new Map<RequestId, BatchMember>();
  /** Work that goes on although its request was answered or cancelled. */
  readonly #running: Promise<void>[] = [];
  /** Responses that wait for the others. */
  readonly #texts: string[] = [];
  /** How many responses have yet to come. */
  #missing: number;
  /** The status of a response without messages, if a cancellation gave one. */
  #status: number | undefined;

  constructor(
    request: HttpRequest,
    session: HttpSession | undefined,
    messages: readonly (Message | MalformedMessage)[],
    requestCount: number,
  ) {
    super(request, requestCount);
    this.session = session;
    this.#messages = messages;
    this.#missing = requestCount + messages.filter(isAnswerable).length;
  }

  /** Handles all messages. */
  start(): void {
    if (this.#missing === 0) {
      const passedOn = this.#handleAll();
      if (passedOn.length > 0) return void this.#confirmAfter(passedOn);
      if (this.end()) this.request.respond(202);
      return;
    }
    for (const message of this.#messages) if (isAnswerable(message)) this.#add(encodeMessage(message.toResponse()));
    void this.#handleAll();
    if (this.isOpen && this.requestCount > 0) this.wait();
  }

  /** Confirms the batch when other processes have what is for them. */
  async #confirmAfter(passedOn: readonly Promise<unknown>[]): Promise<void> {
    const outcomes = await Promise.allSettled(passedOn);
    if (!this.end()) return;
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed === undefined) this.request.respond(202);
    else refuse(this.request, refusalOf(this.request.endpoint.server, failed.reason));
  }

  /** Waits for what could not be answered at once. */
  wait(): void {
    this.hold();
  }

  /** Returns what has to reach other processes yet. In a batch with requests, nobody waits for that. */
  #handleAll(): Promise<unknown>[] {
    const { endpoint } = this.request;
    const passedOn: Promise<unknown>[] = [];
    const note = (work: unknown): void => {
      if (!isThenable(work)) return;
      passedOn.push(Promise.resolve(work));
      work.then(undefined, () => undefined);
    };
    for (const message of this.#messages) {
      if (message instanceof MalformedMessage) continue;
      if (!("method" in message)) note(this.session?.settle(message));
      else if ("id" in message) this.#serve(message);
      else if (this.session !== undefined) note(this.session.hear(message, this.request));
      else endpoint.server.hear(message, this.request);
    }
    return passedOn;
  }

  #serve(message: RequestMessage): void {
    const { id } = message;
    const error = this.#check(message);
    if (error !== undefined) return this.#add(encodeMessage(toErrorResponse(id, error)));
    const member = new BatchMember(this, id);
    this.#members.set(id, member);
    this.session?.addResponse(id, member);
    member.work = this.request.endpoint.server.serve(message, member, this.request);
  }

  #check({ id, method, params }: RequestMessage): RpcError | undefined {
    if (method === "initialize") {
      return new RpcError(ErrorCode.InvalidRequest, "`initialize` must not be part of a batch; send it alone.");
    }
    if (claimsModernEra(params)) return new RpcError(ErrorCode.InvalidRequest, "This revision has no batches.");
    return this.#members.has(id) || this.session?.hasInFlight(id) === true ? duplicateId(id) : undefined;
  }

  isWaitingFor(member: BatchMember): boolean {
    return this.#members.get(member.id) === member;
  }

  /** Opens the stream; `undefined` for clients that accept none. Responses that are ready are sent first. */
  openStream(): MessageStream | undefined {
    if (this.stream === undefined && this.request.mayStream && this.isConnected) {
      this.stream =
        this.session === undefined ? this.request.openEventStream() : openResponseStream(this.session, this.request);
      for (const text of this.#texts.splice(0)) void this.stream.send(text);
    }
    return this.stream;
  }

  /** Takes the response of a member; `undefined` if it was cancelled. `status` is as for {@link cancel}. */
  finish(member: BatchMember, text: string | undefined, status?: number): void {
    if (!this.isWaitingFor(member)) return;
    this.#members.delete(member.id);
    this.#status ??= status;
    this.session?.removeResponse(member.id);
    this.#add(text);
  }

  /** Counts work of a member that goes on. Until the batch is answered, the member counts anyway. */
  busyUntil(settled: Promise<void>): void {
    this.#running.push(settled);
  }

  /** Takes one response; the last one completes the batch. */
  #add(text: string | undefined): void {
    this.#missing -= 1;
    if (text !== undefined) {
      if (this.stream !== undefined && this.#missing > 0) void this.stream.send(text);
      else this.#texts.push(text);
    }
    if (this.#missing === 0) this.#complete();
  }

  #complete(): void {
    if (!this.#end()) return;
    const { request, session, stream } = this;
    const [last] = this.#texts;
    if (last === undefined) return this.sendEmpty(this.#status);
    if (stream !== undefined) return this.finishStream(stream, last);
    const body = `[${this.#texts.join(",")}]`;
    if (!request.prefersEvents) return this.sendWhole(200, JSON_BODY, body);
    this.sendWhole(
      200,
      EVENT_STREAM,
      session === undefined ? encodeMessageEvent(body) : encodeWholeStream(session, body),
    );
  }

  override cancel(reason: string, status?: number): void {
    // The work withdraws its questions to the client while there is a stream to do so on.
    for (const { work } of this.#members.values()) work?.cancel(reason);
    if (this.#end()) this.sendEmpty(status);
    for (const member of this.#members.values()) this.finish(member, undefined);
  }

  /** Goes on if the client can come back for the responses, as for a single request. */
  protected override clientLost(): void {
    const canResume = this.stream !== undefined && this.session?.store !== undefined;
    if (!canResume) this.cancel("the client closed the connection");
  }

  #end(): boolean {
    if (!this.end()) return false;
    const { client, endpoint } = this.request;
    for (const settled of this.#running) endpoint.limits.addUntil(client, 1, settled);
    return true;
  }
}

/** Whether a malformed message is answered with an error. In this revision, every response has an id. */
function isAnswerable(message: Message | MalformedMessage): message is MalformedMessage {
  return message instanceof MalformedMessage && message.id !== undefined;
}

/** The reply to one request of a batch. */
class BatchMember implements Reply {
  readonly id: RequestId;
  work: Exchange | undefined = undefined;
  /** Exists if there is a session in which the client can answer. */
  readonly exchange?: (request: RequestMessage, sink: ExchangeSink) => Exchange;
  readonly #batch: BatchResponse;

  constructor(batch: BatchResponse, id: RequestId) {
    this.#batch = batch;
    this.id = id;
    const { session } = batch;
    if (session !== undefined) this.exchange = (request, sink) => session.exchange(request, sink, batch.openStream());
  }

  get isConnected(): boolean {
    return this.#batch.isConnected;
  }

  notify(message: NotificationMessage): void | Promise<void> {
    if (!this.#batch.isWaitingFor(this)) return;
    const text = encodeMessage(message);
    return this.#batch.openStream()?.send(text);
  }

  respond(message: ResponseMessage): void {
    this.#batch.finish(this, encodeMessage(message));
  }

  busyUntil(settled: Promise<void>): void {
    this.#batch.busyUntil(settled);
  }

  cancel(reason: string, status?: number): void {
    if (!this.#batch.isWaitingFor(this)) return;
    this.work?.cancel(reason);
    // Clients that accept no event stream get an error in place of one without events.
    const isSilent = status !== undefined || this.#batch.request.accepts.events;
    const text = isSilent ? undefined : encodeMessage(toErrorResponse(this.id, cancelledByClient()));
    this.#batch.finish(this, text, status);
  }
}

import {
  encodeMessage,
  ErrorCode,
  MalformedMessage,
  readMessage,
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
import { claimsModernEra, isId, isObject } from "@toolwire/protocol/internal";
import type { Refusal } from "../../bindings/admission/refusals.ts";
import { PostAnswer } from "../../bindings/http/response.ts";
import type { HttpRequest } from "../../bindings/http/request.ts";
import type { MessageStream } from "../../bindings/http/events.ts";
import { refuse, notAMessage, notAcceptable } from "../../bindings/http/errors.ts";
import { hearNotification } from "./endpoint.ts";
import { cancelledByClient, duplicateId } from "./errors.ts";
import { encodeLoneAnswer, openAnswerStream } from "./session-answer.ts";
import type { HttpSession } from "./session.ts";

/** The most messages in one batch. */
const MAX_BATCH = 256;

/** A client, as far as it may have been asked what a batch answers. */
interface Asked {
  /** Whether it was asked something under this id. */
  hasAsked(id: RequestId): boolean;
  /** Takes note of what was no message. */
  hearMalformed(error: MalformedMessage): void;
}

/** Takes several messages in one JSON array (revision 2025-03-26 alone) and answers the requests among them together. */
export function acceptBatch(call: HttpRequest, items: readonly unknown[], session: HttpSession | undefined): void {
  const messages = readBatch(call, items, session);
  if (messages === undefined) return;
  const requests = messages.filter((message) => "method" in message && "id" in message);
  // In this revision, every response has an id.
  const complaints = messages.filter((message) => message instanceof MalformedMessage && message.id !== undefined);
  const { json, events } = call.accepts;
  if (requests.length > 0 && !json && !events) return refuseBatch(call, items, session, notAcceptable());
  if (!call.endpoint.load.hasRoom(call, requests.length)) return;

  const answer = new BatchAnswer(call, session, requests.length, complaints.length);
  const begin = (): void => {
    for (const complaint of complaints) answer.collect((complaint as MalformedMessage).toResponse());
    for (const message of messages) {
      if (message instanceof MalformedMessage) continue;
      if (!("method" in message)) session?.settle(message);
      else if (!("id" in message)) hearNotification(call, message, session);
      else answer.serve(message);
    }
    if (answer.isOpen && requests.length > 0) answer.wait();
    else if (requests.length + complaints.length === 0) call.respond(202);
  };
  if (requests.length === 0 || !call.adapter.isPipelined) return begin();
  // What it returns would only wait in memory, so it begins when it can be answered.
  answer.wait();
  call.adapter.onTurn(() => {
    if (answer.isOpen) begin();
  });
}

/**
 * The members of a batch; `undefined` if it was refused as a whole. Members that are no messages come back in their place,
 * to be answered; broken answers do not.
 */
export function readBatch(
  call: HttpRequest,
  items: readonly unknown[],
  asked: Asked | undefined,
): (Message | MalformedMessage)[] | undefined {
  if (items.length === 0 || items.length > MAX_BATCH) {
    const message = `A batch holds 1 to ${MAX_BATCH} messages, not ${items.length}.`;
    refuseBatch(call, items, asked, { status: 400, message });
    return undefined;
  }
  const messages = items.map(readItem);
  const malformed = messages.filter((message) => message instanceof MalformedMessage);
  for (const error of malformed) asked?.hearMalformed(error);
  if (malformed.length === messages.length && malformed.every(({ id, mayAnswer }) => !mayAnswer || id === undefined)) {
    refuse(call, notAMessage(call, malformed[0]));
    return undefined;
  }
  return messages.filter((message) => !(message instanceof MalformedMessage) || message.mayAnswer);
}

/**
 * Refuses a batch as a whole. Nobody should wait in vain for an answer that was in it. It may hold millions of items, so they
 * are only looked at, and nothing is made of those that answer nothing.
 */
export function refuseBatch(
  call: HttpRequest,
  items: readonly unknown[],
  asked: Asked | undefined,
  refusal: Refusal,
): void {
  for (const item of items) {
    if (!isAnswer(item) || asked?.hasAsked(item.id) !== true) continue;
    const options = { id: item.id, mayAnswer: false };
    asked.hearMalformed(new MalformedMessage(ErrorCode.InvalidRequest, refusal.message, options));
  }
  refuse(call, refusal);
}

/** Whether this answers something, well or badly. */
function isAnswer(item: unknown): item is { readonly id: RequestId } {
  if (!isObject(item) || item["jsonrpc"] !== "2.0" || item["method"] !== undefined) return false;
  return ("result" in item || "error" in item) && isId(item["id"]);
}

function readItem(item: unknown): Message | MalformedMessage {
  try {
    return readMessage(item);
  } catch (error) {
    if (error instanceof MalformedMessage) return error;
    throw error;
  }
}

/** The answer to a batch: one JSON array, or a stream on which each response comes when it is ready. */
class BatchAnswer extends PostAnswer {
  readonly session: HttpSession | undefined;
  override readonly load: number;
  readonly #members = new Set<BatchMember>();
  /** The ends of what runs on, although its member is done. */
  readonly #running: Promise<void>[] = [];
  readonly #texts: string[] = [];
  #missing: number;
  /** What the client gets if nothing answers it and it has not cancelled everything. */
  #status: number | undefined;

  constructor(call: HttpRequest, session: HttpSession | undefined, requests: number, complaints: number) {
    super(call);
    this.session = session;
    this.load = requests;
    this.#missing = requests + complaints;
  }

  serve(request: RequestMessage): void {
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) return this.collect(toErrorResponse(request.id, refusal));
    const member = new BatchMember(this, request.id);
    this.#members.add(member);
    this.session?.addAnswer(request.id, member);
    member.work = this.call.endpoint.serving.serve(request, member, this.call);
  }

  /** Takes one response; the last one completes the answer. */
  collect(message: ResponseMessage): void {
    this.#count(encodeMessage(message));
  }

  /** A member is done, with this text; `undefined` if it was cancelled. `status` is as for {@link cancel}. */
  finish(member: BatchMember, text: string | undefined, status?: number): void {
    if (!this.#members.delete(member)) return;
    this.#status ??= status;
    this.session?.removeAnswer(member.id);
    this.#count(text);
  }

  /** Work of a member goes on. Until the batch is answered, the place of the member is taken anyway. */
  busyUntil(settled: Promise<void>): void {
    this.#running.push(settled);
  }

  isWaitingFor(member: BatchMember): boolean {
    return this.#members.has(member);
  }

  override cancel(reason: string, status?: number): void {
    // What the client was asked on the way is taken back while there is a stream to say so on.
    for (const { work } of this.#members) work?.cancel(reason);
    this.abandon(status);
    for (const member of this.#members) this.finish(member, undefined);
  }

  protected override lost(): void {
    if (this.session?.store === undefined || !this.isStreaming) super.lost();
  }

  protected override ended(): void {
    const { client, endpoint } = this.call;
    for (const settled of this.#running) endpoint.load.addUntil(client, 1, settled);
  }

  protected override openStream(): MessageStream {
    const stream = this.session === undefined ? super.openStream() : openAnswerStream(this.session, this.call);
    // What was collected for the array goes ahead.
    for (const text of this.#texts.splice(0)) void stream.send(text);
    return stream;
  }

  protected override loneEvent(text: string): string {
    return this.session === undefined ? super.loneEvent(text) : encodeLoneAnswer(this.session, text);
  }

  #count(text: string | undefined): void {
    this.#missing -= 1;
    if (text !== undefined) {
      if (this.isStreaming && this.#missing > 0) void this.stream?.send(text);
      else this.#texts.push(text);
    }
    if (this.#missing > 0) return;
    const [last] = this.#texts;
    if (last === undefined) this.abandon(this.#status);
    else this.conclude(200, this.isStreaming ? last : `[${this.#texts.splice(0).join(",")}]`);
  }

  #refusalOf({ id, method, params }: RequestMessage): RpcError | undefined {
    if (method === "initialize") {
      return new RpcError(ErrorCode.InvalidRequest, "`initialize` must not be part of a batch; send it alone.");
    }
    if (claimsModernEra(params)) {
      return new RpcError(ErrorCode.InvalidRequest, "This revision has no batches.");
    }
    const isUsed = [...this.#members].some((member) => member.id === id) || this.session?.isAnswering(id);
    return isUsed === true ? duplicateId(id) : undefined;
  }
}

/** One request of a batch. */
class BatchMember implements Reply {
  readonly id: RequestId;
  work: Exchange | undefined = undefined;
  /** It may ask back if there is a session to be answered in. */
  readonly exchange?: (request: RequestMessage, sink: ExchangeSink) => Exchange;
  readonly #batch: BatchAnswer;

  constructor(batch: BatchAnswer, id: RequestId) {
    this.#batch = batch;
    this.id = id;
    const { session } = batch;
    if (session !== undefined) this.exchange = (request, sink) => session.exchange(request, sink, batch.stream);
  }

  get isConnected(): boolean {
    return this.#batch.isConnected;
  }

  notify(message: NotificationMessage): void | Promise<void> {
    if (!this.#batch.isWaitingFor(this)) return;
    const text = encodeMessage(message);
    return this.#batch.stream?.send(text);
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
    // Clients that take no event stream get an error in place of one without events.
    const isSilent = status !== undefined || this.#batch.call.accepts.events;
    const text = isSilent ? undefined : encodeMessage(toErrorResponse(this.id, cancelledByClient()));
    this.#batch.finish(this, text, status);
  }
}

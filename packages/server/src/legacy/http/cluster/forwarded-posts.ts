import { isObject } from "@toolwire/protocol/internal";
import type { HeaderList, HttpRequestAdapter, ResponseStream } from "../../../bindings/http/adapter.ts";
import type { HttpEndpoint } from "../../../bindings/http/endpoint.ts";
import { messageFailed, refuse } from "../../../bindings/http/errors.ts";
import { readJson } from "../../../bindings/http/receive.ts";
import { HttpRequest } from "../../../bindings/http/request.ts";
import type { BusMessage } from "../../../cluster/bus.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import { isPrincipal } from "../../../origin.ts";
import { noSuchStream, refusalOf } from "../errors.ts";
import { askNode } from "./reach.ts";

const KIND = "legacy.post";
const STREAM_ID = /^([a-z0-9]{1,32})\.[0-9a-f-]{36}$/;

/** Delivers a posted value to a stream of this node. Returns false if there is no such stream for this caller. */
type Deliver = (session: string, request: HttpRequest, value: unknown) => boolean;

/**
 * Brings posts of the HTTP+SSE transport to the node that has the stream, which their `sessionId` names. The caller goes along, as this
 * node knows it; headers do not, for they may hold credentials.
 */
export class ForwardedPosts {
  readonly #cluster: Cluster;
  readonly #endpoint: HttpEndpoint;
  readonly #deliver: Deliver;
  readonly #stopListening: () => void;

  constructor(cluster: Cluster, endpoint: HttpEndpoint, deliver: Deliver) {
    this.#cluster = cluster;
    this.#endpoint = endpoint;
    this.#deliver = deliver;
    this.#stopListening = cluster.bus.listen({
      message: (message) => this.#receive(message),
      changes() {},
      missed() {},
    });
  }

  /** Makes the id of a stream of this node. */
  createId(): string {
    return `${this.#cluster.node}.${crypto.randomUUID()}`;
  }

  /** Sends a post on to the node of its stream. Returns false if there is no other node to which it could go. */
  forward(request: HttpRequest, session: string): boolean {
    const node = STREAM_ID.exec(session)?.[1];
    if (node === undefined || node === this.#cluster.node) return false;
    readJson(request, (_, value) => {
      this.#forward(request, node, session, value).catch((error: unknown) =>
        refuse(request, refusalOf(this.#endpoint.server, error)),
      );
    });
    return true;
  }

  close(): void {
    this.#stopListening();
  }

  async #forward(request: HttpRequest, node: string, session: string, value: unknown): Promise<void> {
    const body = { session, value, principal: request.principal ?? null };
    const reply = await askNode(this.#cluster, node, KIND, body);
    const answer = typeof reply === "object" ? readAnswer(reply.value) : undefined;
    if (answer === undefined) refuse(request, noSuchStream());
    else request.respond(answer.status, answer.headers, answer.body);
  }

  #receive({ kind, body }: BusMessage): Answer | undefined {
    if (kind !== KIND || !isObject(body) || typeof body["session"] !== "string") return undefined;
    const adapter = new ForwardedRequest();
    const request = new HttpRequest(adapter, this.#endpoint);
    const { session, value, principal } = body;
    if (isPrincipal(principal)) request.principal = principal;
    try {
      return this.#deliver(session, request, value) ? adapter.answer : undefined;
    } catch (error) {
      refuse(request, messageFailed(this.#endpoint.server, error));
      return adapter.answer;
    }
  }
}

/** A whole response, as it crosses to the node that has the client. */
interface Answer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

const NO_ANSWER: Answer = { status: 202, headers: [], body: "" };

function readAnswer(value: unknown): Answer | undefined {
  if (!isObject(value)) return undefined;
  const { status, headers, body } = value;
  if (typeof status !== "number" || !Array.isArray(headers) || typeof body !== "string") return undefined;
  return { status, headers: headers.map(String), body };
}

/** A request whose client is connected to another node. It is answered with a whole response, within the same turn. */
class ForwardedRequest implements HttpRequestAdapter {
  readonly method = "POST";
  readonly target = "/";
  readonly routedPath = "/";
  readonly raw = undefined;
  readonly connection = undefined;
  readonly isEncrypted = false;
  readonly address = undefined;
  readonly isPipelined = false;
  readonly unsent = undefined;
  answer: Answer = NO_ANSWER;

  header(): undefined {}

  readBody(): void {}

  send(status: number, headers: HeaderList, body: unknown = ""): void {
    this.answer = { status, headers, body: typeof body === "string" ? body : "" };
  }

  stream(): ResponseStream {
    throw new TypeError("A forwarded message is confirmed, not answered: its answer goes onto the stream.");
  }

  onTurn(): void {}

  onDisconnect(): void {}
}

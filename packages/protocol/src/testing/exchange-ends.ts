import {
  type Exchange,
  type ExchangeTransport,
  LATEST_REVISION,
  MetaKey,
  type NotificationMessage,
  type Reply,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from "../index.ts";
import { ContractViolation, describeError, expect, type Watch } from "./contract.ts";

/** The answering side of the connection, which the suite plays: it decides when and how a request is answered. */
export interface AnsweringPeer {
  /** Takes a request of the client. The exchange that it returns is cancelled when the client cancels the request. */
  request(request: RequestMessage, reply: Reply): Exchange;
  /** Takes a notification of the client. */
  notification(message: NotificationMessage): void;
}

/** A request as the server has received it. */
export interface ServedRequest {
  readonly request: RequestMessage;
  readonly reply: Reply;
  /** The reasons of all cancellations: one at most, if the transport keeps its contract. */
  readonly cancellations: (string | undefined)[];
}

/** A request as the client has sent it, and everything that its sink was told. */
export class SentRequest {
  readonly request: RequestMessage;
  readonly notifications: NotificationMessage[] = [];
  readonly responses: ResponseMessage[] = [];
  readonly failures: Error[] = [];
  /** Set when nothing may reach the sink any more. */
  isOver = false;
  exchange: Exchange | undefined;

  constructor(request: RequestMessage) {
    this.request = request;
  }

  cancel(reason?: string): void {
    this.isOver = true;
    this.exchange?.cancel(reason);
  }
}

/** Both ends of an exchange transport under test: records what happens at each. */
export class ExchangeEnds {
  readonly watch: Watch;
  /** The requests that have reached the server, in order. */
  readonly served: ServedRequest[] = [];
  /** The notifications that have reached the server, in order. */
  readonly notified: NotificationMessage[] = [];
  /** The handlers of the server. Requests are recorded, and stay open until a check answers them. */
  readonly peer: AnsweringPeer;
  /** How often the client's handlers were told that the connection has ended. */
  closings = 0;
  #client: ExchangeTransport | undefined;
  /** Everything that reached a sink after its exchange was over, in words. */
  readonly #late: string[] = [];

  constructor(watch: Watch) {
    this.watch = watch;
    this.peer = {
      request: (request, reply) => {
        const cancellations: (string | undefined)[] = [];
        this.served.push({ request, reply, cancellations });
        watch.changed();
        return {
          cancel(reason) {
            cancellations.push(reason);
            watch.changed();
          },
        };
      },
      notification: (message) => {
        this.notified.push(message);
        watch.changed();
      },
    };
  }

  /** The transport of the client. */
  get client(): ExchangeTransport {
    return this.#client!;
  }

  async open(client: ExchangeTransport): Promise<void> {
    this.#client = client;
    const opening = client.open({ closed: () => void this.closings++ });
    await this.watch.settle(opening, "`open` of the client's transport did not settle in time.");
  }

  /** Sends a request, a tool call of revision 2026-07-28. Its progress token is its id, as the contract requires. */
  send(id: RequestId, args: object = {}): SentRequest {
    const request: RequestMessage = {
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: {
        name: "contract",
        arguments: args,
        _meta: {
          progressToken: id,
          [MetaKey.ProtocolVersion]: LATEST_REVISION,
          [MetaKey.ClientInfo]: { name: "contract-suite", version: "1.0.0" },
          [MetaKey.ClientCapabilities]: {},
        },
      },
    };
    const sent = new SentRequest(request);
    const record = (event: string): void => {
      if (sent.isOver) this.#late.push(`${event} reached the sink of request ${JSON.stringify(id)}`);
      this.watch.changed();
    };
    try {
      sent.exchange = this.client.exchange(request, {
        notification(message) {
          sent.notifications.push(message);
          record("A notification");
        },
        response(message) {
          sent.responses.push(message);
          record("A response");
          sent.isOver = true;
        },
        failed(error) {
          sent.failures.push(error);
          record("`failed`");
          sent.isOver = true;
        },
      });
    } catch (error) {
      const problem = `\`exchange\` threw ${describeError(error)}: a request that cannot be sent fails through its sink.`;
      throw new ContractViolation(problem, { cause: error });
    }
    return sent;
  }

  /** Waits until the server has received this request. */
  async reaches({ request }: SentRequest): Promise<ServedRequest> {
    const find = (): ServedRequest | undefined => this.served.find((served) => served.request.id === request.id);
    await this.watch.until(
      () => find() !== undefined,
      () => `The request with the id ${JSON.stringify(request.id)} did not reach the server.`,
    );
    return find()!;
  }

  /** Waits for the response to a request, which must have the same id. */
  async answers(sent: SentRequest): Promise<ResponseMessage> {
    const id = JSON.stringify(sent.request.id);
    await this.watch.until(
      () => sent.responses.length + sent.failures.length > 0,
      () => `The request with the id ${id} was answered, but no response reached its sink.`,
    );
    const [failure] = sent.failures;
    expect(failure === undefined, `The request with the id ${id} failed: ${describeError(failure)}.`);
    const response = sent.responses[0]!;
    expect(
      response.id === sent.request.id,
      `The request with the id ${id} got the response to ${JSON.stringify(response.id)}.`,
    );
    return response;
  }

  /** Waits until a request has failed. */
  async fails(sent: SentRequest, when: string): Promise<Error> {
    const id = JSON.stringify(sent.request.id);
    await this.watch.until(
      () => sent.failures.length + sent.responses.length > 0,
      () =>
        `The request with the id ${id} was left pending after ${when}: neither \`response\` nor \`failed\` was called.`,
    );
    expect(sent.failures.length > 0, `The request with the id ${id} got a response after ${when}.`);
    return sent.failures[0]!;
  }

  /** Checks the rules that hold whatever a check does. */
  expectOrder(): void {
    const [late] = this.#late;
    expect(
      late === undefined,
      `${late} after the exchange was over: a request gets one \`response\` or \`failed\`, and nothing after it.`,
    );
    expect(this.closings < 2, `The client was told of the end ${this.closings} times: \`closed\` is called once.`);
    const again = this.served.find(({ cancellations }) => cancellations.length > 1);
    expect(
      again === undefined,
      `The work for the request with the id ${JSON.stringify(again?.request.id)} was cancelled twice.`,
    );
  }
}

import { describe, expect, it, test } from "vitest";
import type {
  Exchange,
  ExchangeSink,
  ExchangeTransport,
  NotificationMessage,
  PeerHandlers,
  RequestId,
  RequestMessage,
} from "../../src/index.ts";
import { Multiplexer } from "../../src/internal.ts";
import {
  ContractViolation,
  exchangeContract,
  registerContract,
  type AnsweringPeer,
  type ExchangeContractOptions,
} from "../../src/testing/index.ts";
import { TextChannel } from "./text-channels.ts";

/** A transport that passes everything on to one that keeps the contract; tests break copies of it. */
class Passing implements ExchangeTransport {
  protected readonly inner: ExchangeTransport;

  constructor(inner: ExchangeTransport) {
    this.inner = inner;
  }

  open(handlers: PeerHandlers): void | Promise<void> {
    return this.inner.open(handlers);
  }

  exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    return this.inner.exchange(request, sink);
  }

  notify(message: NotificationMessage): void | Promise<void> {
    return this.inner.notify(message);
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

/** The options of a contract suite for a class of transports. `changePeer` breaks the server's side. */
function describeTransport(
  Transport: typeof Passing,
  changePeer: (peer: AnsweringPeer) => AnsweringPeer = (peer) => peer,
): ExchangeContractOptions<{ client: ExchangeTransport; server: TextChannel }> {
  return {
    async connect(peer) {
      const [client, server] = [new TextChannel("client"), new TextChannel("server")];
      client.peer = server;
      server.peer = client;
      await new Multiplexer(server).open(changePeer(peer));
      return { client: new Transport(new Multiplexer(client)), server };
    },
    stopServer: ({ server }) => server.close(),
  };
}

registerContract(
  "An exchange transport that keeps the contract",
  exchangeContract({ ...describeTransport(Passing), timeout: 20_000 }),
  {
    describe,
    it,
  },
);

/** Checks a transport by the rule that begins like this, and gives what was wrong. */
async function findViolation(options: ReturnType<typeof describeTransport>, rule: string): Promise<unknown> {
  const check = exchangeContract({ ...options, timeout: 2000 }).find(({ name }) => name.startsWith(rule));
  return check?.run().then(
    () => undefined,
    (error: unknown) => error,
  );
}

class MixingUpIds extends Passing {
  readonly #sinks = new Map<string, ExchangeSink>();

  override exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    this.#sinks.set(String(request.id), sink);
    return super.exchange(request, {
      notification: (message) => sink.notification(message),
      response: (message) => this.#sinks.get(String(message.id))?.response(message),
      failed: (error) => sink.failed(error),
    });
  }
}

class AnsweringOutOfTurn extends Passing {
  readonly #sinks: ExchangeSink[] = [];

  override exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    this.#sinks.push(sink);
    return super.exchange(request, {
      notification: (message) => sink.notification(message),
      response: (message) => this.#sinks.shift()?.response({ ...message, id: request.id }),
      failed: (error) => sink.failed(error),
    });
  }
}

class AnsweringTwice extends Passing {
  override exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    return super.exchange(request, {
      notification: (message) => sink.notification(message),
      response(message) {
        sink.response(message);
        sink.response(message);
      },
      failed: (error) => sink.failed(error),
    });
  }
}

class SpreadingProgress extends Passing {
  readonly #sinks = new Map<RequestId, ExchangeSink>();

  override exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    this.#sinks.set(request.id, sink);
    return super.exchange(request, {
      notification: (message) => {
        for (const each of this.#sinks.values()) each.notification(message);
      },
      response: (message) => sink.response(message),
      failed: (error) => sink.failed(error),
    });
  }
}

class DelayingProgress extends Passing {
  override exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    return super.exchange(request, {
      notification: (message) => void setTimeout(() => sink.notification(message), 5),
      response: (message) => sink.response(message),
      failed: (error) => sink.failed(error),
    });
  }
}

class DroppingProgress extends Passing {
  override exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    return super.exchange(request, {
      notification() {},
      response: (message) => sink.response(message),
      failed: (error) => sink.failed(error),
    });
  }
}

class IgnoringCancellation extends Passing {
  override exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    super.exchange(request, sink);
    return { cancel() {} };
  }
}

class AnsweringTheCancelled extends Passing {
  override exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    const exchange = super.exchange(request, sink);
    return {
      cancel(reason) {
        exchange.cancel(reason);
        sink.failed(new Error("cancelled"));
      },
    };
  }
}

class LeavingRequestsPending extends Passing {
  override exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    return super.exchange(request, {
      notification: (message) => sink.notification(message),
      response: (message) => sink.response(message),
      failed() {},
    });
  }
}

class ThrowingAfterTheEnd extends Passing {
  #isClosed = false;

  override exchange(request: RequestMessage, sink: ExchangeSink): Exchange {
    if (this.#isClosed) throw new Error("closed");
    return super.exchange(request, sink);
  }

  override close(): Promise<void> {
    this.#isClosed = true;
    return super.close();
  }
}

class LosingNotifications extends Passing {
  override notify(): void {}
}

describe("The exchange contract", () => {
  test.concurrent.each<readonly [fault: string, Transport: typeof Passing, rule: string, words: string]>([
    [
      'mixes up the ids 1 and "1"',
      MixingUpIds,
      "Many requests",
      "The request with the id 1 was answered, but no response reached its sink.",
    ],
    [
      "gives responses to the wrong requests",
      AnsweringOutOfTurn,
      "Many requests",
      'The request with the id 1 got the response to "b".',
    ],
    [
      "delivers a response twice",
      AnsweringTwice,
      "A request gets one response",
      "The request with the id 1 got 2 responses: exactly one is delivered.",
    ],
    [
      "spreads progress to all requests",
      SpreadingProgress,
      "Progress reaches",
      'Progress of the request with the id "1" reached the sink of the request with the id 1.',
    ],
    [
      "delivers progress after the response",
      DelayingProgress,
      "Progress reaches",
      "A notification reached the sink of request 1 after the exchange was over",
    ],
    [
      "drops progress",
      DroppingProgress,
      "Progress reaches",
      "The server reported the progress 1, 2, 3, 4, 5 of the request with the id 1, and its sink received none.",
    ],
    [
      "does not tell the server of a cancellation",
      IgnoringCancellation,
      "Cancelling a request tells",
      "The client cancelled a request, but the server was not told: its work goes on.",
    ],
    [
      "reports something about a request that was cancelled",
      AnsweringTheCancelled,
      "Cancelling a request tells",
      "`failed` reached the sink of request 1 after the exchange was over",
    ],
    [
      "leaves requests pending when it is closed",
      LeavingRequestsPending,
      "Closing fails",
      "The request with the id 1 was left pending after `close`: neither `response` nor `failed` was called.",
    ],
    [
      "leaves requests pending when the server ends",
      LeavingRequestsPending,
      "A server that ends",
      "The request with the id 1 was left pending after the server ended",
    ],
    [
      "throws instead of failing a request",
      ThrowingAfterTheEnd,
      "Closing fails",
      "`exchange` threw Error: closed: a request that cannot be sent fails through its sink.",
    ],
    [
      "loses notifications",
      LosingNotifications,
      "A notification of the client",
      "The client sent a notification, and it did not reach the server.",
    ],
  ])("says in words what is wrong with a transport that %s.", async (_fault, Transport, rule, words) => {
    const violation = await findViolation(describeTransport(Transport), rule);
    expect(violation).toBeInstanceOf(ContractViolation);
    expect(violation).toMatchObject({ message: expect.stringContaining(words) });
  });

  test("says in words what is wrong with a server that swallows an answer which cannot be sent.", async () => {
    const options = describeTransport(Passing, (peer) => ({
      notification: (message) => peer.notification(message),
      request: (request, reply) =>
        peer.request(request, {
          notify: (message) => reply.notify(message),
          respond(message) {
            try {
              reply.respond(message);
            } catch {
              // This is the fault.
            }
          },
        }),
    }));
    const violation = await findViolation(options, "An answer that JSON cannot hold");
    expect(violation).toMatchObject({ message: expect.stringContaining("`respond` took a BigInt") });
  });

  test("says in words what is wrong with a server that cancels twice.", async () => {
    const options = describeTransport(Passing, (peer) => ({
      notification: (message) => peer.notification(message),
      request(request, reply) {
        const exchange = peer.request(request, reply);
        return {
          cancel(reason) {
            exchange.cancel(reason);
            exchange.cancel(reason);
          },
        };
      },
    }));
    const violation = await findViolation(options, "Cancelling a request tells");
    const words = "The work for the request with the id 1 was cancelled twice.";
    expect(violation).toMatchObject({ message: expect.stringContaining(words) });
  });
});

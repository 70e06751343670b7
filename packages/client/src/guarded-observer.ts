import type { Reply, RequestMessage, ResponseMessage } from "@toolwire/protocol";
import type { CallSink } from "@toolwire/protocol/internal";
import type { DiagnosticListener } from "./diagnostics.ts";
import type {
  AnswerObservation,
  ClientObserver,
  ConnectionObservation,
  ObservedServer,
  SentObservation,
} from "./observer.ts";

/** The facts about a server that its endpoint knows. */
export type ObservedPlace = Pick<ObservedServer, "binding" | "host" | "port">;

/** An observer of one client, whose errors are reported, and do not reach what it observes. */
export class GuardedObserver {
  readonly #observer: ClientObserver;
  readonly #place: ObservedPlace;
  readonly #diagnose: DiagnosticListener;

  constructor(observer: ClientObserver, place: ObservedPlace, diagnose: DiagnosticListener) {
    this.#observer = observer;
    this.#place = place;
    this.#diagnose = diagnose;
  }

  /** Observes a request that is about to be sent. `agreed` are the facts about its server, if they are known. */
  request(
    method: string,
    params: object | undefined,
    agreed: AgreedFacts | undefined,
    previous?: GuardedRequest,
  ): GuardedRequest | undefined {
    const server = this.#describe(agreed);
    const request = { method, params, server, previous: previous?.observation };
    const observation = this.#tell(() => this.#observer.request?.(request));
    return observation && new GuardedRequest(observation, (tell) => this.#tell(tell));
  }

  /**
   * Observes how a request of a server is answered. `answer` is the work, which resolves when the answer was given to the reply that
   * it gets, or when there will be none.
   */
  answer(
    request: RequestMessage,
    reply: Reply,
    agreed: AgreedFacts | undefined,
    answer: (reply: Reply) => Promise<unknown>,
  ): Promise<unknown> {
    const { id, method, params } = request;
    const question = { id, method, params, server: this.#describe(agreed) };
    const observation = this.#tell(() => this.#observer.question?.(question));
    if (observation === undefined) return answer(reply);
    let isOver = false;
    const end: AnswerObservation["end"] = (outcome) => {
      if (isOver) return;
      isOver = true;
      this.#tell(() => observation.end(outcome));
    };
    const observed: Reply = {
      notify: (message) => reply.notify(message),
      respond(message: ResponseMessage) {
        reply.respond(message);
        end("result" in message ? { result: message.result } : { error: message.error });
      },
    };
    let work: Promise<unknown> | undefined;
    const runOnce = (): Promise<unknown> => (work ??= answer(observed));
    this.#tell(() => observation.run?.(() => void runOnce()));
    return runOnce().finally(() => end("cancelled"));
  }

  session(agreed: AgreedFacts): ConnectionObservation | undefined {
    const observation = this.#tell(() => this.#observer.session?.({ server: this.#describe(agreed) }));
    return observation && { end: (error) => this.#tell(() => observation.end(error)) };
  }

  #describe(agreed: AgreedFacts | undefined): ObservedServer {
    return agreed === undefined ? this.#place : { ...this.#place, info: agreed.server, revision: agreed.revision };
  }

  #tell<T>(tell: () => T): T | undefined {
    try {
      return tell();
    } catch (error) {
      this.#diagnose({ level: "error", message: "The observer of the client failed; the call goes on.", error });
      return undefined;
    }
  }
}

/** The facts about a server that are known once there is an agreement with it. */
export interface AgreedFacts {
  readonly server: ObservedServer["info"];
  readonly revision: NonNullable<ObservedServer["revision"]>;
}

/** The observation of one request. */
export class GuardedRequest {
  readonly observation: SentObservation;
  readonly #tell: <T>(tell: () => T) => T | undefined;

  constructor(observation: SentObservation, tell: <T>(tell: () => T) => T | undefined) {
    this.observation = observation;
    this.#tell = tell;
  }

  /** Adds what the observer wants to send to the parameters of the request. */
  complete(params: object | undefined): object | undefined {
    const { meta } = this.observation;
    if (meta === undefined) return params;
    const given = (params as { readonly _meta?: object } | undefined)?._meta;
    return { ...params, _meta: { ...given, ...meta } };
  }

  sent(id: string | number): void {
    this.#tell(() => this.observation.sent?.(id));
  }

  acknowledged(): void {
    this.#tell(() => this.observation.acknowledged?.());
  }

  end(outcome: { readonly result: object } | { readonly error: unknown }): void {
    this.#tell(() => this.observation.end(outcome));
  }
}

/** Tells an observation of the outcome of a call, before the call itself learns of it. */
export class ObservedSink implements CallSink {
  readonly #observation: GuardedRequest;
  readonly #sink: CallSink;

  constructor(observation: GuardedRequest, sink: CallSink) {
    this.#observation = observation;
    this.#sink = sink;
  }

  result(result: object): void {
    this.#observation.end({ result });
    this.#sink.result(result);
  }

  failed(error: unknown): void {
    this.#observation.end({ error });
    this.#sink.failed(error);
  }
}

import type {
  ObservedNotification,
  ObservedQuestion,
  ObservedRefusal,
  ObservedRequest,
  ObservedSession,
  QuestionObservation,
  RequestObservation,
  RequestOutcome,
  ServerObserver,
  SessionObservation,
  TracePlace,
} from "./observer.ts";
import type { ServerDiagnostic } from "../diagnostics.ts";

/** An observer whose errors are reported, and do not reach what it observes. Members that it lacks do nothing. */
export class GuardedObserver {
  readonly #observer: ServerObserver;
  readonly #diagnose: (event: ServerDiagnostic) => void;

  constructor(observer: ServerObserver, diagnose: (event: ServerDiagnostic) => void) {
    this.#observer = observer;
    this.#diagnose = diagnose;
  }

  request(request: ObservedRequest): GuardedObservation | undefined {
    const observation = this.#tell(() => this.#observer.request?.(request));
    return observation && new GuardedObservation(observation, (tell) => this.#tell(tell));
  }

  refusal(refusal: ObservedRefusal): void {
    this.#tell(() => this.#observer.refusal?.(refusal));
  }

  question(question: ObservedQuestion): Required<QuestionObservation> | undefined {
    const observation = this.#tell(() => this.#observer.question?.(question));
    return (
      observation && {
        meta: observation.meta,
        sent: (id) => this.#tell(() => observation.sent?.(id)),
        end: (outcome) => this.#tell(() => observation.end(outcome)),
      }
    );
  }

  notification(notification: ObservedNotification): void {
    this.#tell(() => this.#observer.notification?.(notification));
  }

  session(session: ObservedSession): SessionObservation | undefined {
    const observation = this.#tell(() => this.#observer.session?.(session));
    return observation && { end: () => this.#tell(() => observation.end()) };
  }

  #tell<T>(tell: () => T): T | undefined {
    try {
      return tell();
    } catch (error) {
      this.#diagnose({ level: "error", message: "The observer of the server failed; the request goes on.", error });
      return undefined;
    }
  }
}

/** The observation of one request. */
export class GuardedObservation {
  readonly #observation: RequestObservation;
  readonly #tell: <T>(tell: () => T) => T | undefined;

  constructor(observation: RequestObservation, tell: <T>(tell: () => T) => T | undefined) {
    this.#observation = observation;
    this.#tell = tell;
  }

  get trace(): TracePlace | undefined {
    return this.#observation.trace;
  }

  /** Runs work that does not throw, once, whatever the observer does. */
  run(work: () => void): void {
    let hasRun = false;
    const runOnce = (): void => {
      if (hasRun) return;
      hasRun = true;
      work();
    };
    this.#tell(() => this.#observation.run?.(runOnce));
    runOnce();
  }

  acknowledged(): void {
    this.#tell(() => this.#observation.acknowledged?.());
  }

  end(outcome: RequestOutcome): void {
    this.#tell(() => this.#observation.end(outcome));
  }
}

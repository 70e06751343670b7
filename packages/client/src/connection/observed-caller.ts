import type { NotificationMessage } from "@toolwire/protocol";
import { Caller, type CallerOptions, type CallOptions } from "@toolwire/protocol/internal";
import type { AgreedFacts, GuardedObserver, GuardedRequest } from "../guarded-observer.ts";

/**
 * A caller whose single requests are observed: those that eras send to connect, to subscribe and to set log levels. Calls of the
 * application use {@link Caller.send}, and are observed where their attempts are known.
 */
export class ObservedCaller extends Caller {
  readonly #observer: GuardedObserver;
  readonly #agreed: () => AgreedFacts | undefined;

  constructor(
    exchanger: ConstructorParameters<typeof Caller>[0],
    options: CallerOptions,
    observer: GuardedObserver,
    agreed: () => AgreedFacts | undefined,
  ) {
    super(exchanger, options);
    this.#observer = observer;
    this.#agreed = agreed;
  }

  override async call(method: string, params: object | undefined, options: CallOptions = {}): Promise<object> {
    const observation = this.#observer.request(method, params, this.#agreed());
    if (observation === undefined) return super.call(method, params, options);
    const heard = { ...options, onSend: (id: number) => observation.sent(id), ...hearing(options, observation) };
    try {
      const result = await super.call(method, observation.complete(params), heard);
      observation.end({ result });
      return result;
    } catch (error) {
      observation.end({ error });
      throw error;
    }
  }
}

/** Tells the observation when a subscription is acknowledged. */
function hearing(options: CallOptions, observation: GuardedRequest): Pick<CallOptions, "onNotification"> {
  // It may be an asynchronous function, whose rejection the caller handles.
  const onNotification: ((message: NotificationMessage) => unknown) | undefined = options.onNotification;
  if (onNotification === undefined) return {};
  return {
    onNotification(message: NotificationMessage): unknown {
      if (message.method === "notifications/subscriptions/acknowledged") observation.acknowledged();
      return onNotification(message);
    },
  };
}

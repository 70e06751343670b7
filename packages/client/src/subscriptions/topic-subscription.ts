import type { NotificationMessage } from "@toolwire/protocol";
import type { ExtensionSubscription, TopicListener } from "../extensions/extension.ts";
import { KeptSubscription, type SubscriptionOptions } from "./subscription.ts";

/** The notifications of a stream that are about the stream itself. */
const ABOUT_STREAM: ReadonlySet<string> = new Set([
  "notifications/subscriptions/acknowledged",
  "notifications/cancelled",
]);

/** The topic of an extension, what is wanted of it, and who hears of it. */
export interface Topic {
  readonly name: string;
  readonly wanted: NonNullable<SubscriptionOptions["filter"]["topics"]>[string];
  readonly listener: TopicListener;
  /** Calls a listener, and reports its errors. */
  readonly tell: (what: string, listener: () => unknown) => void;
}

/** A subscription to a topic of an extension, which has a stream of its own, like any other. */
export class TopicSubscription implements ExtensionSubscription {
  readonly kept: KeptSubscription;
  readonly closed: Promise<Error | undefined>;
  readonly #topic: Topic;

  constructor(options: Pick<SubscriptionOptions, "link" | "timeout" | "reconnect" | "notification">, topic: Topic) {
    this.#topic = topic;
    this.kept = new KeptSubscription({
      ...options,
      filter: { topics: { [topic.name]: topic.wanted } },
      notification: (message) => this.#hear(message, options.notification),
      // Changes of lists are not asked for, and the cache knows nothing of topics.
      listener: () => {},
      tell: () => {},
      missed: () => {},
      resumed: () => topic.tell(topic.name, () => topic.listener.resumed?.()),
    });
    this.closed = this.kept.closed;
  }

  get accepted(): unknown {
    return this.kept.accepted.topics?.[this.#topic.name];
  }

  close(): void {
    this.kept.close();
  }

  #hear(message: NotificationMessage, pass: (message: NotificationMessage) => void): void {
    pass(message);
    const { tell, listener } = this.#topic;
    if (!this.kept.isAccepted || ABOUT_STREAM.has(message.method)) return;
    tell(message.method, () => listener.notification(message));
  }
}

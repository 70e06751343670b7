import { TransportError } from "@toolwire/protocol";
import type { MessageStream } from "../../../bindings/http/events.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import { askNode } from "./reach.ts";
import type { SharedRecord } from "./shared-record.ts";

/** The stream that carries what belongs to no request, wherever it is connected at the moment. */
export class RemoteStandaloneStream implements MessageStream {
  readonly #cluster: Cluster;
  readonly #record: SharedRecord;
  readonly #onFailure: (error: Error) => void;

  /** `onFailure` is told when a message cannot be sent. */
  constructor(cluster: Cluster, record: SharedRecord, onFailure: (error: Error) => void) {
    this.#cluster = cluster;
    this.#record = record;
    this.#onFailure = onFailure;
  }

  send(data: string): void {
    this.#send(data).catch((error: unknown) => this.#onFailure(unreachable(error)));
  }

  async #send(data: string): Promise<void> {
    const holder = (await this.#record.read())?.holder;
    if (holder === undefined || holder.node === this.#cluster.node) throw unreachable();
    const reply = await askNode(this.#cluster, holder.node, "legacy.push", { session: this.#record.id, data });
    if (reply === "gone" || reply === "unknown") throw unreachable();
  }

  finish(): void {}

  disconnected(): void {}
}

function unreachable(cause?: unknown): TransportError {
  if (cause instanceof TransportError) return cause;
  const message =
    "The client cannot be asked: it takes no event stream with its request, and has opened none at any server.";
  return new TransportError("CONNECT_FAILED", message, { cause });
}

import type { CallToolParams } from "@toolwire/protocol";
import type { CallSink } from "@toolwire/protocol/engine";
import type { Connection } from "../connection/connection.ts";
import type { KnownTool } from "../tools/catalog.ts";
import type { RequestOptions } from "./request-options.ts";

/** What happens to a call when something has come back for it. */
export interface CallOwner {
  /** The final result, or the promise of one. Throws if it is none. */
  accept(call: Call, result: object): object | Promise<object>;
  /** The final result after all, or a rejection. */
  mend(call: Call, error: unknown): Promise<object>;
}

/** What whoever made a call may want to know about its result. */
export interface CallNote {
  /** It depends on answers that the server was given, which nobody else can be assumed to give. */
  wasAnswered: boolean;
}

const NOTHING_MENDED: readonly string[] = [];

/** A request on its way, however often it has to be sent until there is a final result. */
export class Call implements CallSink {
  readonly method: string;
  /** As the caller gave them. */
  readonly params: object | undefined;
  readonly options: RequestOptions;
  readonly note: CallNote | undefined;
  /** As they are sent now: with answers to what the server asked. */
  sent: object | undefined;
  /** The tool that is called, if it is known. */
  tool: KnownTool | undefined;
  /** How often the server has asked something. */
  rounds = 0;
  /** What has been mended already; nothing is mended twice. */
  mended: readonly string[] = NOTHING_MENDED;
  connection!: Connection;
  readonly #owner: CallOwner;
  #resolve!: (result: object | Promise<object>) => void;
  #reject!: (error: unknown) => void;

  constructor(
    owner: CallOwner,
    method: string,
    params: object | undefined,
    options: RequestOptions,
    note: CallNote | undefined,
  ) {
    this.#owner = owner;
    this.method = method;
    this.params = params;
    this.sent = params;
    this.options = options;
    this.note = note;
  }

  /** The name of the tool that is called. */
  get toolName(): string {
    return (this.params as CallToolParams).name;
  }

  /** The headers that repeat arguments of the call. */
  get headers(): Readonly<Record<string, string>> | undefined {
    return this.tool?.mirror?.((this.params as CallToolParams).arguments ?? {});
  }

  /** Notes who waits for the outcome of the next sending. */
  awaitedBy(resolve: (result: object | Promise<object>) => void, reject: (error: unknown) => void): void {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  result(result: object): void {
    try {
      this.#resolve(this.#owner.accept(this, result));
    } catch (error) {
      this.#reject(error);
    }
  }

  failed(error: unknown): void {
    this.#resolve(this.#owner.mend(this, error));
  }
}

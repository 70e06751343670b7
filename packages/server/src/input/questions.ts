import {
  ErrorCode,
  RpcError,
  UsageError,
  type ClientCapabilities,
  type InputRequest,
  type InputRequiredResult,
  type RetryParams,
  type Revision,
} from "@toolwire/protocol";
import type { Awaitable } from "../define/tool.ts";
import type { CallJournal } from "../define/tool-hooks.ts";
import type { Principal } from "../origin.ts";
import type { Definition } from "../registry/definition.ts";
import { expectKey, expectWork } from "./ask.ts";

/** The part of a request that its questions need. */
export interface AskingRequest {
  readonly definition: Definition;
  readonly method: string;
  readonly revision: Revision;
  readonly principal: Principal | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** The parameters of the request, if its method may ask the client something. */
  readonly target: RetryParams | undefined;
  /** Whether the request was answered or cancelled. */
  readonly isOver: boolean;
}

/** Refuses to ask after the end of a request, and where the protocol has no place for questions. */
export function expectAskable({ isOver, target, method }: AskingRequest): void {
  if (isOver) {
    throw new UsageError(
      "INVALID_STATE",
      "The request is over, so its client cannot be asked any more: await what you ask.",
    );
  }
  if (target === undefined) {
    throw new UsageError(
      "UNSUPPORTED",
      `Clients cannot be asked during ${method}: only in tools, prompts and the reading of resources.`,
    );
  }
}

/** The error for a question that the client cannot answer, because it has not declared the capability for it. */
export function missingCapability(requiredCapabilities: ClientCapabilities): RpcError {
  const names = Object.keys(requiredCapabilities).join(", ");
  return new RpcError(
    ErrorCode.MissingRequiredClientCapability,
    `This request needs a client with the capability ${names}, which was not declared.`,
    { data: { requiredCapabilities } },
  );
}

/** The outcome of reading an answer: a value, or what is wrong with the answer. */
export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** How a request asks its client: by sending requests, or by an interim result after which the handler runs again. */
export interface Questions {
  /** Asks, and resolves to the value that `read` finds in the answer. */
  ask<T>(key: string, request: InputRequest, read: (answer: unknown) => Awaitable<Reading<T>>): Promise<T>;
  /** Does work once for this request, however often its handler runs. */
  once<T>(key: string, work: () => Awaitable<T>): Promise<T>;
  /** The interim result, if there are questions that only the next round can answer. */
  interim(): Promise<InputRequiredResult | undefined> | undefined;
  /** Takes up the answers that came with the request. */
  resume(params: RetryParams): Promise<void>;
  /** The answers so far, and the results of `once`. */
  journal(): CallJournal;
  /** Takes back open questions, because the request is about to be answered. */
  end?(): void;
  /** Whether questions to visit a page need an `elicitationId`. */
  readonly hasElicitationIds: boolean;
  /** The error for a question that takes capabilities which the client has not declared. */
  missing(requiredCapabilities: ClientCapabilities): RpcError;
}

/** The keys of a request's questions. Each is used once, because answers are found by key. */
export class Keys {
  readonly #used = new Set<string>();

  claim(key: string): void {
    if (this.#used.has(key)) {
      throw new UsageError(
        "INVALID_ARGUMENT",
        `The key "${key}" was used for another question of this request: give each its own.`,
      );
    }
    this.#used.add(key);
  }
}

/** Work that is done once per key. A second call while it runs waits for the same outcome. */
export class Memo {
  readonly #results = new Map<string, Promise<unknown>>();
  /** The results of work that has succeeded. */
  readonly done: Map<string, { readonly value: unknown }> = new Map<string, { readonly value: unknown }>();

  run<T>(key: string, work: () => Awaitable<T>): Promise<T> {
    expectKey(key, "once");
    expectWork(work);
    let result = this.#results.get(key);
    if (result === undefined) {
      // `async` turns synchronous errors into rejections.
      result = (async () => {
        const value = await work();
        this.done.set(key, { value });
        return value;
      })();
      this.#results.set(key, result);
    }
    return result as Promise<T>;
  }

  /** The results of all work that has succeeded, once everything has ended. */
  async settled(): Promise<Map<string, unknown>> {
    const done = new Map<string, unknown>();
    for (const [key, result] of this.#results) {
      try {
        done.set(key, await result);
      } catch {
        // Failed work is done again in the next round.
      }
    }
    return done;
  }
}

import { isObject } from "@toolwire/protocol/internal";
import type { ClientCapabilities, InputRequest, InputRequiredResult, RetryParams, RpcError } from "@toolwire/protocol";
import type { Awaitable } from "../define/tool.ts";
import type { CallJournal } from "../define/tool-hooks.ts";
import { InputRequired, invalidParams } from "../errors.ts";
import { canonicalJson } from "./seal.ts";
import { sealOf } from "./server-seal.ts";
import { type AskingRequest, Keys, Memo, missingCapability, type Questions, type Reading } from "./questions.ts";

/** The state that travels through the client between two rounds, sealed. */
interface Notes {
  /** Answers of earlier rounds. */
  readonly answers: { readonly [key: string]: unknown };
  /** Results of `once`, each in an object of its own, as JSON has no `undefined`. */
  readonly done: { readonly [key: string]: { readonly value?: unknown } };
}

/** The version of the form of notes and context. State of another version does not open. */
const FORMAT = 1;

const NO_NOTES: Notes = { answers: {}, done: {} };

/**
 * Asks by interim results (2026-07-28, "Multi Round-Trip Requests"). A question without an answer ends the run. The client
 * gets all open questions, and sends the request again with the answers. The handler then runs again from the top, and
 * each question finds its answer, until no question is open.
 */
export class ReplayedQuestions implements Questions {
  readonly hasElicitationIds = false;
  readonly #request: AskingRequest;
  readonly #keys = new Keys();
  readonly #memo = new Memo();
  readonly #open = new Map<string, InputRequest>();
  readonly #answered = new Map<string, unknown>();
  readonly #readings: unknown[] = [];
  #notes: Notes = NO_NOTES;
  #fresh: { readonly [key: string]: unknown } = {};

  constructor(request: AskingRequest) {
    this.#request = request;
  }

  /**
   * Takes up the answers and the state that the client returned. Refuses state that was not sealed by a server of this
   * name, for this caller and this very request, or that has expired.
   */
  async resume({ requestState, inputResponses }: RetryParams): Promise<void> {
    if (inputResponses !== undefined) this.#fresh = inputResponses;
    if (requestState === undefined) return;
    const opened = await sealOf(this.#request.definition).open(requestState, this.#context());
    if (opened === undefined || !isNotes(opened.value)) {
      throw invalidParams(
        "Invalid requestState: it has expired, was changed, or belongs to another request. Call again without `requestState` and `inputResponses`.",
      );
    }
    this.#notes = opened.value;
  }

  async ask<T>(key: string, request: InputRequest, read: (answer: unknown) => Awaitable<Reading<T>>): Promise<T> {
    this.#keys.claim(key);
    // Sealed answers come first: the handler may have acted on them already.
    for (const source of [this.#notes.answers, this.#fresh]) {
      if (!Object.hasOwn(source, key)) continue;
      const reading = read(source[key]);
      this.#readings.push(reading);
      const outcome = await reading;
      if (!outcome.ok) continue;
      this.#answered.set(key, source[key]);
      return outcome.value;
    }
    this.#open.set(key, request);
    throw new InputRequired();
  }

  once<T>(key: string, work: () => Awaitable<T>): Promise<T> {
    const { done } = this.#notes;
    return this.#memo.run(key, Object.hasOwn(done, key) ? () => done[key]?.value as T : work);
  }

  journal(): CallJournal {
    const { answers, done } = this.#notes;
    return {
      answers: { ...answers, ...Object.fromEntries(this.#answered) },
      done: { ...done, ...Object.fromEntries(this.#memo.done) },
    };
  }

  missing(requiredCapabilities: ClientCapabilities): RpcError {
    return missingCapability(requiredCapabilities);
  }

  interim(): Promise<InputRequiredResult | undefined> | undefined {
    return this.#open.size === 0 && this.#readings.length === 0 ? undefined : this.#interim();
  }

  async #interim(): Promise<InputRequiredResult | undefined> {
    // An answer that is still being read may turn out to be invalid, and its question is then open, too.
    await Promise.allSettled(this.#readings);
    if (this.#open.size === 0) return undefined;
    const done = [...(await this.#memo.settled())].map(([key, value]) => [key, { value }] as const);
    const notes: Notes = {
      answers: { ...this.#notes.answers, ...Object.fromEntries(this.#answered) },
      done: { ...this.#notes.done, ...Object.fromEntries(done) },
    };
    return {
      resultType: "input_required",
      inputRequests: Object.fromEntries(this.#open),
      requestState: await sealOf(this.#request.definition).seal(notes, this.#context()),
    };
  }

  /**
   * The server, the caller and the request that the notes belong to, in a form that does not depend on the order of
   * members. Servers that share a key, such as one for tests and the real one, are told apart by their names.
   */
  #context(): string {
    const { definition, principal, method, target } = this.#request;
    const { name, uri, arguments: args } = target as { name?: unknown; uri?: unknown; arguments?: unknown };
    return canonicalJson([
      FORMAT,
      definition.info.name,
      principal?.id ?? null,
      method,
      name ?? null,
      uri ?? null,
      args ?? {},
    ]);
  }
}

function isNotes(value: unknown): value is Notes {
  return isObject(value) && isObject(value["answers"]) && isObject(value["done"]);
}

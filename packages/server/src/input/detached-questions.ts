import {
  eraOf,
  type ClientCapabilities,
  type InputRequest,
  type InputRequiredResult,
  type RpcError,
} from "@toolwire/protocol";
import type { Awaitable } from "../define/tool.ts";
import type { CallJournal, RunQuestions } from "../define/tool-hooks.ts";
import { InputRequired, ToolError } from "../errors.ts";
import { type AskingRequest, Keys, Memo, missingCapability, type Questions, type Reading } from "./questions.ts";

/** How often a question is asked before the call fails. Extensions give up earlier. */
const MAX_ATTEMPTS = 100;

const SUSPENDED: InputRequiredResult = { resultType: "input_required" };

/** The questions of a call whose request was answered: whoever keeps the call asks them, and keeps what was done once. */
export class DetachedQuestions implements Questions {
  readonly hasElicitationIds: boolean;
  readonly #run: RunQuestions;
  readonly #keys = new Keys();
  readonly #memo = new Memo();
  #isSuspended = false;

  constructor({ revision }: AskingRequest, run: RunQuestions) {
    this.hasElicitationIds = eraOf(revision) === "legacy";
    this.#run = run;
  }

  async ask<T>(key: string, request: InputRequest, read: (answer: unknown) => Awaitable<Reading<T>>): Promise<T> {
    this.#keys.claim(key);
    let problem: string | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const answer = await this.#ask(key, request, attempt, problem);
      const reading = await read(answer);
      if (reading.ok) return reading.value;
      ({ problem } = reading);
    }
    throw new ToolError(`The client's answer to "${key}" does not fit: ${problem}`);
  }

  once<T>(key: string, work: () => Awaitable<T>): Promise<T> {
    return this.#memo.run(key, () => this.#run.once(key, work));
  }

  /** The end of a run that waits for an answer. It says nothing to a client: nobody waits for it. */
  interim(): Promise<InputRequiredResult | undefined> | undefined {
    return this.#isSuspended ? Promise.resolve(SUSPENDED) : undefined;
  }

  missing(requiredCapabilities: ClientCapabilities): RpcError {
    return missingCapability(requiredCapabilities);
  }

  journal(): CallJournal {
    return { answers: {}, done: {} };
  }

  async resume(): Promise<void> {}

  async #ask(key: string, request: InputRequest, attempt: number, problem: string | undefined): Promise<unknown> {
    try {
      return await this.#run.ask(key, request, attempt, problem);
    } catch (error) {
      if (error instanceof InputRequired) this.#isSuspended = true;
      throw error;
    }
  }
}

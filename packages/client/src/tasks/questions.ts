import { type InputResponses, ProtocolViolation } from "@toolwire/protocol";
import type { ExtensionClient, QuestionContext } from "../extensions/extension.ts";
import { MAX_QUESTIONS } from "../input/answer.ts";

/** How often a server may say that it waits for input when every question was answered. */
const MAX_IDLE_LOOKS = 60;

/** The settings of the questions of a task. */
export interface TaskQuestionsOptions {
  readonly client: ExtensionClient;
  readonly context: QuestionContext;
  /** How many questions there may be in the life of the task. */
  readonly most: number;
  /** Sends answers, until they have arrived. */
  readonly send: (answers: InputResponses) => Promise<void>;
  /** Gets the error of a question that cannot be answered, or of answers that the server does not take. */
  readonly failed: (error: unknown) => void;
}

/** The questions of a task. Each is put to the handlers of the client once, however often the server repeats it. */
export class TaskQuestions {
  readonly #options: TaskQuestionsOptions;
  /** Every question so far as text, by key: a key must keep its meaning. */
  readonly #seen = new Map<string, string>();
  /** How many groups of questions are being answered. */
  #open = 0;
  #idleLooks = 0;

  constructor(options: TaskQuestionsOptions) {
    this.#options = options;
  }

  /** Takes the questions that are open now, and answers those that are new. Throws a `ProtocolViolation` if they break the rules. */
  take(questions: { readonly [key: string]: unknown }): void {
    const entries = Object.entries(questions);
    if (entries.length > MAX_QUESTIONS) throw violation(`no more than ${MAX_QUESTIONS} questions at once`);
    const fresh: [key: string, question: unknown][] = [];
    for (const [key, question] of entries) {
      const text = JSON.stringify(question);
      const before = this.#seen.get(key);
      if (before === undefined) fresh.push([key, question]);
      else if (before !== text) throw violation(`the key ${JSON.stringify(key.slice(0, 99))} stands for two questions`);
      this.#seen.set(key, text);
    }
    if (this.#seen.size > this.#options.most) {
      const message = `The task has asked more than ${this.#options.most} questions. If that is right, raise \`maxQuestions\` of \`tasks()\`.`;
      throw new ProtocolViolation("TOO_MANY_ROUNDS", message);
    }
    if (fresh.length > 0) void this.#answer(fresh);
    else this.#expectProgress();
  }

  /** Notes that the task does not wait for input any more. */
  settled(): void {
    this.#idleLooks = 0;
  }

  /** Answers questions together: a server need not take a part of the answers. */
  async #answer(questions: readonly [key: string, question: unknown][]): Promise<void> {
    const { client, context, send, failed } = this.#options;
    this.#open++;
    this.#idleLooks = 0;
    try {
      const answers = questions.map(async ([key, question]) => [key, await client.answer(question, context)]);
      await send(Object.fromEntries(await Promise.all(answers)) as InputResponses);
    } catch (error) {
      failed(error);
    } finally {
      this.#open--;
    }
  }

  #expectProgress(): void {
    if (this.#open > 0 || ++this.#idleLooks <= MAX_IDLE_LOOKS) return;
    throw violation(`the task waits for input, but all of its questions were answered ${MAX_IDLE_LOOKS} looks ago`);
  }
}

function violation(problem: string): ProtocolViolation {
  return new ProtocolViolation("INVALID_RESULT", `A task of the server breaks the protocol: ${problem}.`);
}

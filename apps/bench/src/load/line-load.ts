/** Load over pipes: one line a message, a fixed number of calls in flight. */
import type { Readable, Writable } from "node:stream";
import type { Expectation } from "../workload/answers.ts";
import type { Ids, PreparedRequest } from "../workload/requests.ts";
import { type Load, Sampling } from "./load.ts";
import { batchRequests } from "./request-batch.ts";

const NEWLINE = 0x0a;

/** The pipes of a child process. */
export interface Pipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** The messages to send, how many at a time, and the expected answers. */
export interface PipeLoadOptions {
  readonly request: PreparedRequest;
  readonly inFlight: number;
  readonly expectation: Expectation;
  readonly ids: Ids;
}

/** Answers that arrive together are followed by as many calls, written together. */
export class LineLoad implements Load {
  readonly #pipes: Pipes;
  readonly #options: PipeLoadOptions;
  readonly #sampling: Sampling;
  #onAnswer = (): void => {};
  #open = 0;
  #lineStart: Buffer[] = [];
  #drained: (() => void) | undefined;
  readonly #receive = (bytes: Buffer): void => this.#read(bytes);

  constructor(pipes: Pipes, options: PipeLoadOptions) {
    this.#pipes = pipes;
    this.#options = options;
    this.#sampling = new Sampling(options.expectation);
  }

  async start(onAnswer: () => void): Promise<void> {
    this.#onAnswer = onAnswer;
    this.#drained = undefined;
    this.#pipes.stdout.on("data", this.#receive);
    this.#send(this.#options.inFlight);
  }

  async drain(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    this.#pipes.stdout.off("data", this.#receive);
  }

  /** The pipes are the server's. */
  close(): void {}

  #send(count: number): void {
    this.#open += count;
    this.#pipes.stdin.write(batchRequests(this.#options.request, count, this.#options.ids));
  }

  #read(bytes: Buffer): void {
    let at = 0;
    let answers = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, at)) {
      if (this.#sampling.isDue()) {
        this.#sampling.check(Buffer.concat([...this.#lineStart, bytes.subarray(at, end)]).toString());
      }
      this.#lineStart = [];
      this.#onAnswer();
      answers++;
      at = end + 1;
    }
    if (at < bytes.length) this.#lineStart.push(bytes.subarray(at));
    this.#open -= answers;
    if (this.#drained === undefined) {
      if (answers > 0) this.#send(answers);
    } else if (this.#open === 0) {
      this.#drained();
    }
  }
}

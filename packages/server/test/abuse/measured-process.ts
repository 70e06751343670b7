import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Measured } from "./fixtures/measured-server.ts";

const PROGRAM = fileURLToPath(new URL("fixtures/measured-server.ts", import.meta.url));

/** A server whose memory is measured from outside. It has half a gigabyte, and dies if it needs more. */
export class MeasuredProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;
  readonly http: string;
  readonly websocket: string;

  private constructor(child: ChildProcess, { http, websocket }: { http: string; websocket: string }) {
    this.#child = child;
    this.#ended = new Promise((_resolve, reject) => {
      child.once("exit", (code, signal) => reject(new Error(`The server has ended with ${String(code ?? signal)}.`)));
    });
    // The next measurement reports this.
    this.#ended.catch(() => {});
    this.http = http;
    this.websocket = websocket;
  }

  static async start(): Promise<MeasuredProcess> {
    const child = fork(PROGRAM, {
      execArgv: ["--expose-gc", "--max-old-space-size=512", "--conditions=@toolwire/source", "--import", "tsx"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [urls] = (await once(child, "message")) as [{ http: string; websocket: string }];
    return new MeasuredProcess(child, urls);
  }

  /** Collects garbage there, and tells what is left. */
  async measure(): Promise<Measured> {
    const controller = new AbortController();
    const answer = once(this.#child, "message", controller) as Promise<[Measured]>;
    this.#child.send({});
    try {
      const [measured] = await Promise.race([answer, this.#ended]);
      return measured;
    } finally {
      answer.catch(() => {});
      controller.abort();
    }
  }

  /** Waits until the handlers of the server have been left alone for a while, and then measures. */
  async settle(): Promise<Measured> {
    let latest = await this.measure();
    for (let quiet = 0, turn = 0; quiet < 5 && turn < 500; turn += 1) {
      const next = await this.measure();
      quiet = next.runs === latest.runs && next.bytes - latest.bytes < 64 * 1024 ? quiet + 1 : 0;
      latest = next;
    }
    return latest;
  }
}

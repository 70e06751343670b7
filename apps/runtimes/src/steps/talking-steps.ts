import type { Change, Client } from "@toolwire/client";
import type { LogMessageParams, Progress } from "@toolwire/protocol";
import { WATCHED } from "../fixture/server.ts";
import { textOf } from "./calling-steps.ts";
import { expectSame, expectThat, rejectionOf } from "./expect.ts";
import { collect } from "./offering-steps.ts";
import type { Steps } from "./outcomes.ts";

/** Where the user wants everything to go. */
export const ADDRESS = "1 Harbour Street";

/** Steps that take more than a request and a response: streams, further rounds, cancellation. */
export function talkingSteps(client: Client): Steps {
  return {
    async progress() {
      const reports: Progress[] = [];
      const going: Promise<unknown>[] = [];
      // The tool goes on when it is told to, so a stream that is held back until it is complete never is.
      const onProgress = (report: Progress): void => {
        reports.push(report);
        going.push(client.callTool("next"));
      };
      const { content } = await client.callTool("count", {}, { onProgress });
      await Promise.all(going);
      expectSame("the answer", content, [{ type: "text", text: "Counted to 3." }]);
      expectSame(
        "the reports",
        reports.map(({ progress, total, message }) => [progress, total, message]),
        [
          [1, 3, "step 1"],
          [2, 3, "step 2"],
          [3, 3, "step 3"],
        ],
      );
    },
    async log() {
      const messages: LogMessageParams[] = [];
      await client.callTool("log", {}, { onLog: (message) => messages.push(message) });
      expectSame(
        "the messages",
        messages.map(({ level, data, logger }) => [level, data, logger]),
        [["warning", { disk: "full" }, "storage"]],
      );
    },
    async elicitation() {
      const texts = [await textOf(client, "order"), await textOf(client, "order")];
      const numbers = texts.map((text) => Number(/^Order (\d+) goes to 1 Harbour Street\.$/.exec(text)?.[1]));
      const [first = Number.NaN, second = Number.NaN] = numbers;
      // In the modern era a handler runs once a round, but what it has done before a question is done once.
      expectThat("orders are numbered once each", second - first === 1, texts);
    },
    async cancellation() {
      const controller = new AbortController();
      const reason = new Error("changed my mind");
      // The first report says that the tool is running.
      const onProgress = (): void => controller.abort(reason);
      const error = await rejectionOf(client.callTool("wait", {}, { signal: controller.signal, onProgress }));
      expectThat("the call fails with the reason given", error === reason, error);
      expectSame("what the server heard", await textOf(client, "cancelled"), "Cancelled.");
    },
    async "time limit"() {
      // Timers of some runtimes end with the request in which they were set, which must not be the last that is watched.
      const quick = await client.callTool("dawdle", { hurry: true });
      expectSame("the answer in time", quick.content, [{ type: "text", text: "Done." }]);
      const slow = await client.callTool("dawdle", { hurry: false });
      expectSame("the flag", slow.isError, true);
      const text = 'Tool "dawdle" took longer than 100 ms and was stopped.';
      expectSame("the reason", slow.content, [{ type: "text", text }]);
    },
    async changes() {
      const heard = new Heard();
      const subscription = await client.subscribe({ tools: true, uris: [WATCHED] }, (change) => heard.add(change));
      try {
        const { tools, uris } = subscription.accepted;
        expectSame("what the server agreed to announce", [tools, uris], [true, [WATCHED]]);
        for (const isThere of [true, false]) {
          await client.callTool("change");
          await heard.both();
          const listed = await collect(client.allTools());
          expectSame(
            "whether the tool is listed",
            listed.some(({ name }) => name === "extra"),
            isThere,
          );
        }
      } finally {
        subscription.close();
      }
    },
  };
}

/** The changes that were announced and not waited for yet. */
class Heard {
  readonly #kinds = new Set<string>();
  #wake: (() => void) | undefined;

  add(change: Change): void {
    if (change.kind === "resource" && change.uri !== WATCHED) return;
    this.#kinds.add(change.kind);
    if (this.#isComplete) this.#wake?.();
  }

  /** Waits until a change of the tools and one of the resource were announced. */
  async both(): Promise<void> {
    if (!this.#isComplete) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#kinds.clear();
  }

  get #isComplete(): boolean {
    return this.#kinds.has("tools") && this.#kinds.has("resource");
  }
}

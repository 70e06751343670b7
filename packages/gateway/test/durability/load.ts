import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

/** The end of one call: answered with the text of the API, or not at all. */
export interface CallEnd {
  /** Sent as `traceparent`; the record of the call has it. */
  readonly traceId: string;
  readonly isAnswered: boolean;
  /** The body of the answer. */
  readonly text: string;
}

/** Calls to a gateway over HTTP, many at once: as fast as it answers, or a given number a second. */
export class Load {
  readonly ends: CallEnd[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  readonly #url: string;
  readonly #perSecond: number;
  #isStopped = false;

  constructor(url: string, perSecond: number = Number.POSITIVE_INFINITY) {
    this.#url = url;
    this.#perSecond = perSecond;
  }

  get answered(): readonly string[] {
    return this.ends.filter(({ isAnswered }) => isAnswered).map(({ traceId }) => traceId);
  }

  /** Sends `count` calls; `onEnd` is called after each. Ends when all have ended, or after `stop`. */
  async run(count: number, onEnd: () => void = () => undefined): Promise<void> {
    let sent = 0;
    const start = performance.now();
    const sendOneByOne = async (): Promise<void> => {
      while (sent < count && !this.#isStopped) {
        const early = start + (sent * 1000) / this.#perSecond - performance.now();
        sent += 1;
        if (early > 0) await delay(early);
        this.ends.push(await this.#send());
        onEnd();
      }
    };
    await Promise.all(Array.from({ length: 32 }, sendOneByOne));
    this.#agent.destroy();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #send(): Promise<CallEnd> {
    const traceId = randomBytes(16).toString("hex");
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: traceId,
      method: "tools/call",
      params: { name: "get_weather", arguments: { city: traceId } },
    });
    return new Promise((resolve) => {
      const lost = (): void => resolve({ traceId, isAnswered: false, text: "" });
      const sending = request(
        this.#url,
        {
          method: "POST",
          agent: this.#agent,
          headers: {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
            traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => (text += chunk));
          response.on("end", () => resolve({ traceId, isAnswered: response.complete, text }));
          response.on("error", lost);
        },
      );
      sending.on("error", lost);
      sending.end(body);
    });
  }
}

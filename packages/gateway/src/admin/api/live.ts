import type { CallFilter, CallLog } from "../../log/call-log.ts";
import { isMatch, withoutCapture } from "../../log/normal-record.ts";
import { AdminError } from "../http/admin-error.ts";
import type { AdminRequest } from "../http/request.ts";

const MAX_STREAMS = 32;
const ALWAYS = { from: 0, to: Number.POSITIVE_INFINITY };
const KEEP_ALIVE = 15_000;

/** A client that reads slower than calls come in misses some, and is told how many. */
const MAX_BUFFERED = 512 * 1024;

/** Calls as server-sent events, as they are logged by this process. */
export class LiveStreams {
  readonly #log: CallLog;
  #open = 0;

  constructor(log: CallLog) {
    this.#log = log;
  }

  open({ method, response, signal, isStillAllowed }: AdminRequest, filter: CallFilter): void {
    if (this.#open >= MAX_STREAMS) {
      throw new AdminError(
        503,
        "too_many_streams",
        `At most ${MAX_STREAMS} live lists can be open. Close another one.`,
      );
    }
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
    if (method === "HEAD") {
      response.end();
      return;
    }
    this.#open += 1;
    response.write(": calls as they are logged\n\n");

    let missed = 0;
    const stop = this.#log.follow((record) => {
      if (!isMatch(record, ALWAYS, filter, ({ tool }) => tool)) return;
      if (response.writableLength > MAX_BUFFERED) {
        missed += 1;
        return;
      }
      if (missed > 0) response.write(`event: missed\ndata: ${missed}\n\n`);
      missed = 0;
      response.write(`event: call\nid: ${record.id}\ndata: ${JSON.stringify(withoutCapture(record))}\n\n`);
    });
    // Also notices that the session has ended. A client that does not read would keep a response open that has only been ended, and
    // an event that is written after that is an error that nobody handles.
    const timer = setInterval(() => {
      void isStillAllowed().then(
        (isAllowed) => {
          if (!isAllowed) response.destroy();
          else if (!response.writableEnded) response.write(": still here\n\n");
        },
        () => response.destroy(),
      );
    }, KEEP_ALIVE);
    timer.unref();
    const close = (): void => {
      clearInterval(timer);
      stop();
      this.#open -= 1;
      response.end();
    };
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
  }
}

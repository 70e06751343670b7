import { Roster } from "@toolwire/protocol/internal";
import type { EventStream, KeepAlive } from "../http/event-stream.ts";

/** Sends comments on quiet streams, with one timer for all of them: most streams are over long before it fires. */
export function keepAliveTogether(intervalMs: number): KeepAlive {
  const streams = new Roster<EventStream>();
  let timer: NodeJS.Timeout | undefined;

  function keepAlive(): void {
    for (const stream of streams.list()) stream.keepAlive();
    // Streams come and go quickly, so the timer outlives them for a while.
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return (stream) => {
    streams.add(stream);
    timer ??= setInterval(keepAlive, intervalMs).unref();
    return () => streams.delete(stream);
  };
}

import type { Gateway, GatewayEvent } from "../../gateway.ts";
import type { CallRecord } from "../../log/call-record.ts";

/** How important a line has to be to be written. */
export type LogLevel = GatewayEvent["level"];

/** All levels, the least important first. */
export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warning", "error"];

/** What `serve` writes while it runs, in one of two forms: for people, or for programs. */
export interface ServeLog {
  /** The gateway serves. `link` logs its reader in to the page; it is only there if a person reads it. */
  started(gateway: Gateway, file: string, link: string | undefined): void;
  event(event: GatewayEvent): void;
  /** A call that is over, and was not reported as an event. */
  call(record: CallRecord): void;
  /** Writes what is still to be said. */
  close(): void;
}

/** Whether lines of a level are written. */
export function isShown(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

/** The message of an error that an event has as a stack, without the stack. The gateway has made it a text. */
export function firstLineOf(error: unknown): string | undefined {
  if (typeof error !== "string") return undefined;
  const [line = ""] = error.split("\n", 1);
  return line.replace(/^[A-Z]\w*: /, "");
}

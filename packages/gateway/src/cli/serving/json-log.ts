import type { GatewayEvent } from "../../gateway.ts";
import type { CallRecord } from "../../log/call-record.ts";
import { firstLineOf, isShown, type LogLevel, type ServeLog } from "./serve-log.ts";

/**
 * One JSON object a line, as log collectors expect it. Calls that went well are `debug`: the call log has them, and a line for each
 * would slow a busy gateway down. Stacks are `debug`, too. No line has a token.
 */
export function createJsonLog(tell: (line: string) => void, least: LogLevel): ServeLog {
  const write = (level: LogLevel, members: object): void => {
    if (isShown(level, least)) tell(JSON.stringify({ time: new Date().toISOString(), level, ...members }));
  };
  return {
    started({ url, adminUrl }) {
      tell(JSON.stringify({ listening: url, admin: adminUrl }));
    },
    event({ level, message, server, upstream, call, error }: GatewayEvent) {
      const { id, ...rest } = call ?? {};
      const reason = isShown("debug", least) ? error : firstLineOf(error);
      write(level, { server, upstream, ...rest, call: id, message, error: reason });
    },
    call({ id, server, tool, outcome, durationMs, error }: CallRecord) {
      write("debug", { server, tool, outcome, durationMs, call: id, message: error ?? "The call went well." });
    },
    close() {},
  };
}

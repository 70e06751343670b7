import type { Gateway, GatewayEvent } from "../../gateway.ts";
import type { CallRecord } from "../../log/call-record.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import { plain } from "../table.ts";
import { countTools, describeStart } from "./describe-servers.ts";
import type { Paint } from "./paint.ts";
import { firstLineOf, isShown, type LogLevel, type ServeLog } from "./serve-log.ts";

/** So many calls have a line of their own within a second; the others are counted. Terminals are slow, and so are readers. */
const MAX_PER_SECOND = 20;

/** The widest name of a server and a tool, and the longest message, in characters. */
const MAX_NAME = 40;
const MAX_MESSAGE = 400;

/** Lines for people: what is served, calls as they happen, and warnings as sentences. */
export function createTerminalLog(tell: (line: string) => void, least: LogLevel, paint: Paint): ServeLog {
  let width = 0;
  let counted = 0;
  let second = 0;
  let timer: NodeJS.Timeout | undefined;

  const time = (): string => paint("dim", new Date().toTimeString().slice(0, 8));
  const colours = { debug: "dim", info: "cyan", warning: "yellow", error: "red" } as const;
  const say = (level: LogLevel, text: string): void => {
    if (!isShown(level, least)) return;
    const label = level === "info" ? "" : `${paint(colours[level], level)}  `;
    tell(`${time()}  ${label}${text}`);
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (counted > MAX_PER_SECOND) say("info", paint("dim", `and ${counted - MAX_PER_SECOND} more calls`));
    counted = 0;
  };
  const writeCall = (call: Pick<CallRecord, "server" | "tool" | "outcome" | "durationMs" | "id">): string => {
    const name = `${call.server}/${plain(call.tool)}`;
    width = Math.min(MAX_NAME, Math.max(width, name.length));
    const colour = call.outcome === "ok" ? "green" : "red";
    const duration = `${call.durationMs.toFixed(call.durationMs < 100 ? 1 : 0)} ms`.padStart(9);
    return `${name.padEnd(width)}  ${paint(colour, call.outcome.padEnd(17))}  ${duration}  ${paint("dim", call.id)}`;
  };
  const shorten = (text: string): string => {
    const short = plain(text.split("\n").slice(0, 3).join(" ")).replaceAll(/ {2,}/g, " ").trim();
    return short.length > MAX_MESSAGE ? `${short.slice(0, MAX_MESSAGE)} …` : short;
  };

  return {
    started(gateway: Gateway, file: string, link: string | undefined) {
      tell(describeStart(gateway, file, link, paint));
      for (const { slug, upstreams } of gateway.servers()) {
        for (const upstream of upstreams) {
          if (upstream.config.perUser === true) continue;
          void upstream.ready().then(() => {
            const line = describeUpstream(gateway, slug, upstream);
            if (line !== undefined) say("info", line);
          });
        }
      }
    },
    event({ level, message, server, call, error }: GatewayEvent) {
      if (call !== undefined) {
        if (!isShown(level, least)) return;
        const record = { ...call, server: server ?? "" };
        tell(`${time()}  ${writeCall(record)}\n          ${paint("yellow", shorten(message))}`);
        return;
      }
      const reason = firstLineOf(error);
      const detail = reason === undefined || message.includes(reason) ? "" : ` (${reason})`;
      const place = server === undefined ? "" : `${paint("bold", server)}: `;
      say(level, `${place}${shorten(message + detail)}`);
      if (isShown("debug", least) && typeof error === "string") tell(paint("dim", error));
    },
    call(record) {
      if (!isShown("info", least)) return;
      const now = Math.floor(performance.now() / 1000);
      if (now !== second) {
        flush();
        second = now;
      }
      counted += 1;
      if (counted > MAX_PER_SECOND) {
        timer ??= setTimeout(flush, 1000).unref();
        return;
      }
      const error = record.error === undefined ? "" : `\n          ${shorten(record.error)}`;
      tell(`${time()}  ${writeCall(record)}${error}`);
    },
    close: flush,
  };
}

/** The state of an upstream in a line. One that failed has said so already. */
function describeUpstream(gateway: Gateway, slug: string, upstream: Upstream): string | undefined {
  const { state, tools, serverInfo } = upstream.status();
  if (state === "failed") return undefined;
  const server = gateway.server(slug);
  const isOnly = server?.upstreams.length === 1;
  const names = (server?.tools ?? []).filter(({ source }) => source === "mcp").map(({ listing }) => listing.name);
  const who = serverInfo === undefined ? "" : ` (${plain(`${serverInfo.name} ${serverInfo.version}`)})`;
  const what = isOnly ? countTools(names) : `${tools} ${tools === 1 ? "tool" : "tools"}`;
  return `${slug}: The upstream ${plain(upstream.name)}${who} is connected: ${what}`;
}

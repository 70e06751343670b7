/** Entry point of the canned servers that listen on a port. */
import { answerCommands } from "../processes/commands.ts";
import { serveCannedHttp } from "./http.ts";
import { serveCannedWebSocket } from "./websocket.ts";

/** Where and how to listen. */
export interface CannedOptions {
  readonly transport: "http" | "websocket";
  readonly answers: "json" | "sse";
  readonly bytes: number;
}

/** The commands of the process. */
export interface CannedCommands {
  listen(argument: CannedOptions): Promise<number>;
}

answerCommands<CannedCommands>({
  listen: ({ transport, answers, bytes }) =>
    transport === "http" ? serveCannedHttp(answers, bytes) : serveCannedWebSocket(bytes),
});

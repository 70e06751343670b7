/** Servers of tests, over every transport. */
import { fileURLToPath } from "node:url";
import type { Era } from "@toolwire/protocol";
import type { Server } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { serveWebSocket } from "@toolwire/server/websocket";
import { onTestFinished } from "vitest";

/** Both eras. */
export const ERAS: readonly Era[] = ["modern", "legacy"];

/** The command that runs a TypeScript file, beside this one, with the sources of this repository. */
export function commandOf(file: string, ...args: string[]): { command: string; args: string[] } {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return { command: process.execPath, args: ["--conditions=@toolwire/source", "--import", "tsx", path, ...args] };
}

/** Serves a server over HTTP until the end of the test. */
export async function overHttp(
  server: Server,
  options: Partial<Parameters<typeof serveHttp>[1]> = {},
): Promise<string> {
  const serving = await serveHttp(server, { port: 0, ...options });
  onTestFinished(() => serving.close());
  return serving.url;
}

/** Serves a server over WebSocket until the end of the test. */
export async function overWebSocket(server: Server): Promise<string> {
  const serving = await serveWebSocket(server, { port: 0 });
  onTestFinished(() => serving.close());
  return serving.url;
}

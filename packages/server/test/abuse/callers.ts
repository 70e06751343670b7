/** Actions in the name of a caller, for tests of shared limits. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "vitest";
import type { LegacyClient } from "../bindings/http/client.ts";
import type { Target } from "../bindings/http/platforms.ts";
import { countConnections, type AbusedServer } from "./abused-server.ts";

/** The way of one caller to a server. */
export function reach({ url }: { readonly url: string }, caller: string): Target {
  return {
    url,
    close: async () => {},
    send: ({ path = "", headers, ...init }) => {
      const given = new Headers(headers);
      given.set("authorization", caller);
      return fetch(new URL(path, url), { ...init, headers: given });
    },
  };
}

/** The head of a POST with these headers, and its body, as they go over the wire. */
export function encodePost(fields: Iterable<[string, string]>, body: string): string {
  const lines = [...fields].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${lines}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Has requests answered after the connections have ended that they came over. Returns what came before. */
export async function leaveAnswers(
  target: AbusedServer,
  { headers }: LegacyClient,
  caller: string,
  count: number,
  size: number,
): Promise<string[]> {
  const { port, hostname } = new URL(target.url);
  const fields = Object.entries({ ...headers, authorization: caller, "content-type": "application/json" });
  const connections = await countConnections(target);
  const texts: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const id = crypto.randomUUID();
    const params = { name: "report", arguments: { size }, _meta: { progressToken: id } };
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.setEncoding("latin1").write(encodePost(fields, body));
    const [text] = (await once(socket, "data")) as [string];
    texts.push(text);
    socket.destroy();
  }
  await expect.poll(() => countConnections(target)).toBeLessThanOrEqual(connections);
  target.ledger.release();
  await expect.poll(() => target.ledger.running).toBe(0);
  return texts;
}

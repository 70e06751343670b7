import { connect, type Client, type ConnectOptions } from "@toolwire/client";
import type { ContentBlock } from "@toolwire/protocol";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { startServer, type RunningServer } from "./built-server.ts";

/** A server process for all tests of a file, and clients for each of them. */
export function useServer(): { start(options?: ConnectOptions): Promise<Client> } {
  let server: RunningServer;
  const clients: Client[] = [];
  beforeAll(async () => {
    server = await startServer(["ws", "--port", "0"]);
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  afterAll(() => server.stop());
  return {
    async start(options = {}) {
      const client = await connect(server.urls[0] ?? "", options);
      clients.push(client);
      return client;
    },
  };
}

/** The text of a result that is nothing but text. */
export async function textOf(result: Promise<{ readonly content: readonly ContentBlock[] }>): Promise<string> {
  const { content } = await result;
  expect(content).toEqual([{ type: "text", text: expect.any(String) }]);
  return (content[0] as { text: string }).text;
}

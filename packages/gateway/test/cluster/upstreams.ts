import { createServer as createHttp, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { onTestFinished } from "vitest";

/** What to do at the end of a file of tests. Without it, something ends with its test. */
type Closers = (() => Promise<unknown>)[];

/** An HTTP API that counts its requests, until the test is over. */
export async function startApi(closers?: Closers): Promise<{ readonly url: string; readonly requests: string[] }> {
  const requests: string[] = [];
  const http: Server = createHttp((request, response) => {
    requests.push(request.url ?? "");
    response.end(`answer to ${request.url}`);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const close = async (): Promise<void> => {
    http.closeAllConnections();
    http.close();
  };
  if (closers === undefined) onTestFinished(close);
  else closers.push(close);
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, requests };
}

/** An MCP server with a tool that asks its caller for a name, until the test is over. */
export async function startAsking(closers?: Closers): Promise<string> {
  const server = createServer({
    name: "asking",
    version: "1.0.0",
    tools: {
      greet: tool({
        description: "Greets",
        async run(_args, ctx) {
          const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
          const answer = await ctx.elicit("who", { message: "Who are you?", schema });
          return `Hello ${String((answer as { readonly name?: unknown }).name)}`;
        },
      }),
    },
  });
  const listener = await serveHttp(server, { port: 0 });
  if (closers === undefined) onTestFinished(() => listener.close());
  else closers.push(() => listener.close());
  return listener.url;
}

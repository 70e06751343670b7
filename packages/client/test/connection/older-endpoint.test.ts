import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/node";
import { expect, test } from "vitest";
import { connect } from "../../src/index.ts";

test.each(["auto", "legacy"] as const)(
  "finds the HTTP+SSE transport behind a 405 that explains itself (%s)",
  async (mode) => {
    const server = createServer({ name: "older", version: "1.0.0", tools: { hello: tool({ run: () => "Hello" }) } });
    const serving = await serveHttp(server, { port: 0, legacySse: true });
    const client = await connect(new URL("/sse", serving.url), mode === "auto" ? {} : { era: mode });

    await expect(client.callTool("hello")).resolves.toMatchObject({ content: [{ type: "text", text: "Hello" }] });

    await client.close();
    await serving.close();
  },
);

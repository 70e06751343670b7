import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type ConnectOptions } from "@toolwire/client";
import { onTestFinished } from "vitest";
import { fakeAuth, METADATA_TEXT } from "../../packages/server/test/fake-auth.ts";
import { server } from "../transports/server.ts";

export { server };

/** Authorization that lets nobody in: what is public can still be read. */
export const auth = fakeAuth({});

/** Reads the metadata that a framework serves beside a handler that is mounted on a path, as clients and pages do. */
export async function readMetadata(origin: string): Promise<object> {
  const url = origin + auth.metadata.path;
  const page = { origin: "https://page.example.com" };
  const document = await fetch(url, { headers: page });
  const head = await fetch(url, { method: "HEAD" });
  const wished = { "access-control-request-method": "GET", "access-control-request-headers": "mcp-protocol-version" };
  const preflight = await fetch(url, { method: "OPTIONS", headers: { ...page, ...wished } });
  const refused = await fetch(`${origin}/mcp`, { method: "POST" });
  return {
    document: [document.status, await document.text(), document.headers.get("access-control-allow-origin")],
    head: [head.status, await head.text()],
    preflight: [preflight.status, preflight.headers.get("access-control-allow-headers")],
    refused: [refused.status, refused.headers.get("www-authenticate")],
  };
}

/** The outcome of {@link readMetadata} if everything works. */
export const METADATA_SERVED = {
  document: [200, METADATA_TEXT, "*"],
  head: [200, ""],
  preflight: [204, "mcp-protocol-version"],
  refused: [401, `Bearer resource_metadata="${auth.metadata.url}"`],
};

/** The eras that every adapter is tried out in. */
export const ERAS = ["modern", "legacy"] as const;

/** Connects to a URL, and does everything that takes more than a request and its response. */
export async function tryOut(url: string, era: ConnectOptions["era"]): Promise<object> {
  const elicitation = () => ({ action: "accept", content: { name: "Ada" } }) as const;
  await using client = await connect<typeof server>(url, { era, elicitation });
  const progress: number[] = [];
  const counted = await client.callTool(
    "count",
    { to: 3 },
    { onProgress: (report) => void progress.push(report.progress) },
  );
  const asked = await client.callTool("ask");
  return { era: client.era, progress, texts: [counted, asked].map(({ content }) => content[0]) };
}

/** The outcome of {@link tryOut} if everything works. */
export function working(era: string): object {
  const texts = ["3", "Hello, Ada!"].map((text) => ({ type: "text", text }));
  return { era, progress: [1, 2, 3], texts };
}

/** Starts to listen on a free port of this machine, until the test has ended. Gives the origin. */
export async function listen(http: Server): Promise<string> {
  await once(http.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

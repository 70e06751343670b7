import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type ConnectOptions } from "@toolwire/client";
import { onTestFinished } from "vitest";
import { server } from "../transports/server.ts";

export { server };

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

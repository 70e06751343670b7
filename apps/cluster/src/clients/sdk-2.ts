import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import type { Era } from "../accounts/history.ts";
import { type Caller, describeResult } from "./caller.ts";
import { describeSdkError } from "./sdk-errors.ts";

/** Connects version 2 of the official SDK, in either era. */
export async function connectSdk2(url: string, era: Era): Promise<Caller> {
  const client = new Client(
    { name: "cluster", version: "1.0.0" },
    {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } },
    },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => ({
    action: "accept",
    content: { answer: params.message },
  }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
  return {
    async call({ tool, args, timeout, signal, onReport }) {
      try {
        const { content, isError } = await client.callTool(
          { name: tool, arguments: { ...args } },
          {
            timeout,
            ...(signal && { signal }),
            ...(args.reports > 0 && { onprogress: ({ progress }) => onReport(progress) }),
          },
        );
        const [block] = content;
        return describeResult(block?.type === "text" ? block : undefined, isError);
      } catch (error) {
        if (signal?.aborted === true) return { type: "cancelled" };
        const { status, data } = Object(error) as { readonly status?: unknown; readonly data?: { status?: unknown } };
        const told = status ?? data?.status;
        return describeSdkError(error, typeof told === "number" ? told : undefined);
      }
    },
    close: () => client.close(),
  };
}

import { Client } from "sdk-v1/client/index.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "sdk-v1/client/streamableHttp.js";
import { ElicitRequestSchema } from "sdk-v1/types.js";
import { type Caller, describeResult } from "./caller.ts";
import { describeSdkError } from "./sdk-errors.ts";

/** Connects version 1 of the official SDK, which is legacy. */
export async function connectSdk1(url: string): Promise<Caller> {
  const client = new Client({ name: "cluster", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: "accept",
    content: { answer: params.message },
  }));
  const transport = new StreamableHTTPClientTransport(new URL(url));
  // Its optional members are not declared as this project's compiler settings want them.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return {
    async call({ tool, args, timeout, signal, onReport }) {
      try {
        const { content, isError } = await client.callTool({ name: tool, arguments: { ...args } }, undefined, {
          timeout,
          ...(signal && { signal }),
          ...(args.reports > 0 && { onprogress: ({ progress }) => onReport(progress) }),
        });
        const [block] = content as readonly { readonly text?: string }[];
        return describeResult(block, isError);
      } catch (error) {
        if (signal?.aborted === true) return { type: "cancelled" };
        return describeSdkError(error, error instanceof StreamableHTTPError ? error.code : undefined);
      }
    },
    close: () => client.close(),
  };
}

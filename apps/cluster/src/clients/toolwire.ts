import { connect, RpcError, ToolwireError, TransportError, UsageError } from "@toolwire/client";
import type { Era, Outcome, Ran } from "../accounts/history.ts";
import { type Caller, type CallerListener, describeResult } from "./caller.ts";

/** Connects the client of Toolwire. */
export async function connectToolwire(url: string, era: Era, listener: CallerListener): Promise<Caller> {
  const client = await connect(url, {
    era,
    elicitation: ({ message }) => ({ action: "accept", content: { answer: message } }),
    onDiagnostic({ message, error }) {
      const { code } = Object(error) as { readonly code?: unknown };
      if (code === "DUPLICATE_RESPONSE") listener.answeredTwice(message);
    },
  });
  return {
    async call({ tool, args, timeout, signal, onReport }) {
      try {
        const { content, isError } = await client.callTool(
          tool,
          { ...args },
          {
            timeout,
            maxTimeout: timeout,
            ...(signal !== undefined && { signal }),
            ...(args.reports > 0 && { onProgress: ({ progress }) => onReport(progress) }),
          },
        );
        const [block] = content;
        return describeResult(block?.type === "text" ? block : undefined, isError);
      } catch (error) {
        return signal?.aborted === true && error === signal.reason ? { type: "cancelled" } : describeError(error);
      }
    },
    close: () => client.close(),
  };
}

/** What an error of the client says, read as its README tells users to. */
export function describeError(error: unknown): Outcome {
  const { name, message } = error as Error;
  const code = error instanceof ToolwireError ? `${name} ${error.code}${detailOf(error)}` : name;
  return { type: "failed", ran: saysWhetherItRan(error), code, message: message.slice(0, 300) };
}

function saysWhetherItRan(error: unknown): Ran {
  if (error instanceof UsageError) return "no";
  if (error instanceof TransportError) {
    if (error.code === "CONNECT_FAILED" || error.refusal?.isUnread === true) return "no";
    return "maybe";
  }
  if (error instanceof RpcError && error.refusal !== undefined) return error.refusal.isUnread ? "no" : "maybe";
  return "unclear";
}

function detailOf(error: ToolwireError): string {
  const refusal = error instanceof TransportError || error instanceof RpcError ? error.refusal : undefined;
  return refusal === undefined ? "" : ` (${refusal.detail})`;
}

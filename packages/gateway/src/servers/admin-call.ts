import { type CallToolResult, type Origin, RpcError, type Server } from "@toolwire/server";
import { bindingOf } from "@toolwire/server/binding";
import { encodeMessage, MetaKey, REVISIONS } from "@toolwire/protocol";
import { ADMIN_BINDING, type AdminOrigin } from "../steps/policy.ts";

interface Answer {
  readonly result?: CallToolResult;
  readonly error?: { readonly code: number; readonly message: string };
}

/**
 * Calls a tool for an admin, inside of this process: with all seven steps, as the principal `admin`, who has `scopes`. Drafts can
 * be called, and no limit counts it.
 */
export function callAsAdmin(
  server: Server,
  name: string,
  args: object,
  scopes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ id: string; result: CallToolResult }> {
  const origin: AdminOrigin & Origin = {
    binding: ADMIN_BINDING,
    connection: {},
    principal: { id: "admin", scopes },
    callId: undefined,
  };
  return new Promise((resolve, reject) => {
    const exchange = bindingOf(server).serve(
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name,
          arguments: args,
          _meta: {
            [MetaKey.ProtocolVersion]: REVISIONS[0],
            [MetaKey.ClientInfo]: { name: "toolwire-gateway", version: "admin" },
            [MetaKey.ClientCapabilities]: {},
          },
        },
      },
      {
        notify: () => undefined,
        respond(sent) {
          const { result, error } = JSON.parse(encodeMessage(sent)) as Answer;
          if (error === undefined) resolve({ id: origin.callId ?? "", result: result as CallToolResult });
          else reject(new RpcError(error.code, error.message));
        },
      },
      origin,
    );
    signal?.addEventListener(
      "abort",
      () => {
        exchange.cancel("The admin left.");
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
}

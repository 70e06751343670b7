// bus.ts
import {
  ErrorCode,
  isNotification,
  isRequest,
  RpcError,
  toErrorResponse,
  type Exchange,
  type ExchangeSink,
  type Message,
  type RequestId,
  type RequestMessage,
} from "@toolwire/protocol";
import type { Server } from "@toolwire/server";
import { bindingOf } from "@toolwire/server/binding";

/** Serves one client of an imaginary bus. `send` carries messages to the client; `take` gets those of the client. */
export function serveBus(server: Server, send: (message: Message) => void) {
  const binding = bindingOf(server);
  let isGone = false;
  const open = new Map<RequestId, Exchange>(); // what cancels requests of the client that are not answered yet
  const asked = new Map<RequestId, ExchangeSink>(); // where answers of the client go

  const state = binding.openConnection({ notify: sendIfThere, exchange: ask });
  const origin = { binding: "bus", connection: state, state };

  function sendIfThere(message: Message): void {
    if (!isGone) send(message);
  }

  /** Asks a legacy client, as tools do with `ctx.elicit`. */
  function ask(request: RequestMessage, sink: ExchangeSink): Exchange {
    const { id } = request;
    asked.set(id, sink);
    sendIfThere(request);
    return {
      cancel(reason) {
        const params = { requestId: id, ...(reason !== undefined && { reason }) };
        if (asked.delete(id)) sendIfThere({ jsonrpc: "2.0", method: "notifications/cancelled", params });
      },
    };
  }

  function serve(request: RequestMessage): void {
    const { id } = request;
    if (open.has(id)) return send(toErrorResponse(id, new RpcError(ErrorCode.InvalidRequest, "This id is in use.")));
    let isOpen = true;
    const end = (): void => {
      isOpen = false;
      open.delete(id);
    };
    const reply = {
      notify(message: Message) {
        if (isOpen) sendIfThere(message);
      },
      respond(message: Message) {
        if (!isOpen) return; // it was cancelled
        sendIfThere(message);
        end();
      },
      exchange: ask,
    };
    const work = binding.serve(request, reply, origin);
    if (!isOpen) return; // it was answered at once
    open.set(id, {
      cancel(reason) {
        end();
        work.cancel(reason);
      },
    });
  }

  return {
    take(message: Message): void {
      if (isRequest(message)) serve(message);
      else if (!isNotification(message)) {
        const sink = asked.get(message.id as RequestId);
        if (asked.delete(message.id as RequestId)) sink?.response(message);
      } else if (message.method === "notifications/cancelled") {
        const params = message.params as { requestId: RequestId; reason?: string } | undefined;
        if (params !== undefined) open.get(params.requestId)?.cancel(params.reason);
      } else binding.hear(message, origin); // such as `notifications/initialized`
    },
    gone(): void {
      isGone = true;
      state.close(); // open questions fail
      for (const request of open.values()) request.cancel("the client is gone");
    },
  };
}

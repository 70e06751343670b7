import type { NotificationMessage, RequestId } from "@toolwire/protocol";
import type { HttpCall } from "../call.ts";
import type { HttpSession } from "./session.ts";

/** Takes a notification: what concerns open exchanges stays here, the rest is the server's. */
export function hearNotification(call: HttpCall, message: NotificationMessage, session: HttpSession | undefined): void {
  const params = message.params as { requestId?: RequestId; reason?: unknown; progressToken?: RequestId } | undefined;
  if (message.method === "notifications/cancelled") {
    const reason = typeof params?.reason === "string" ? params.reason : "the client cancelled it";
    if (params?.requestId !== undefined) session?.cancel(params.requestId, reason);
  } else if (message.method === "notifications/progress") {
    if (params?.progressToken !== undefined) session?.findAsked(params.progressToken)?.notification(message);
  } else call.endpoint.serving.hear(message, call);
}

import type { Outcome, Ran } from "../accounts/history.ts";

/** The HTTP status of an error of an official SDK, which both versions keep elsewhere. */
type Status = number | undefined;

/** What an error of an official SDK says. They have no words for it, so the status and the reason of `fetch` have to tell. */
export function describeSdkError(error: unknown, status: Status): Outcome {
  const { name, message, code, cause } = Object(error) as {
    readonly [property in "name" | "message" | "code" | "cause"]?: unknown;
  };
  const reason = (cause as { readonly code?: unknown } | undefined)?.code;
  const details = [name, code, status === undefined ? undefined : `HTTP status ${status}`, reason];
  return {
    type: "failed",
    ran: saysWhetherItRan(code, status, reason, String(message)),
    code: [...new Set(details.filter((detail) => detail !== undefined).map(String))].join(" "),
    message: String(message).slice(0, 300),
  };
}

function saysWhetherItRan(code: unknown, status: Status, reason: unknown, message: string): Ran {
  // HTTP, RFC 9110, 15.5.30 and 15.6.4: the server has not taken the request.
  if (status === 429 || status === 503 || reason === "ECONNREFUSED") return "no";
  // An error that the server itself has answered with says nothing of the kind.
  if (typeof code === "number" && code === -32603 && !/timed? ?out|clos/i.test(message)) return "unclear";
  return "maybe";
}

import { TransportError, UsageError } from "@toolwire/protocol";
import { placeOf } from "./failure.ts";
import type { HttpRequest } from "./port.ts";

/** What Node and Bun say of a certificate that they do not trust. */
const UNTRUSTED = /^(?!ERR_SSL).*(CERT|VERIFY_LEAF)/;

/** What they say when no connection came about for another reason. In both cases nothing can have been sent. */
const UNCONNECTED = /^(E(CONNREFUSED|NOTFOUND|AI_|HOSTUNREACH|NETUNREACH)|ERR_SSL|UND_ERR_CONNECT|ConnectionRefused)/;

/** What undici, and so the `fetch` of Node, says of fields that are its own to send, such as `transfer-encoding`. */
const UNSENDABLE = /^UND_ERR_(INVALID_ARG|NOT_SUPPORTED)/;

/** The parts of an error that tell what happened. */
interface Reason extends Error {
  readonly code?: unknown;
  /** One for each address of a host that was tried. */
  readonly errors?: readonly Error[];
}

/**
 * Why a request could not be sent, or what came back not be read. A port that knows whether any of it was sent says so;
 * otherwise the error has to tell.
 */
export function toSendFailure({ url, headers }: HttpRequest, cause: unknown, wasSent?: boolean): Error {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[^\t -~\x80-\xff]/.test(value)) continue;
    // The value may be a secret, so it is not repeated; nor is the cause kept, which does that.
    const message = `HTTP cannot carry the header ${JSON.stringify(name)}: a character in its name or value is forbidden.`;
    return new UsageError("INVALID_ARGUMENT", message);
  }
  // `fetch` only says that it failed, and has the reason as its cause.
  const reason = ((cause as Error | undefined)?.cause ?? cause) as Reason | undefined;
  const code = String(reason?.code);
  // Some platforms repeat the whole URL, and there may be a secret in it.
  const said = textOf(reason, code).replaceAll(url.href, placeOf(url));
  if (UNSENDABLE.test(code)) return new UsageError("INVALID_ARGUMENT", `HTTP cannot carry these headers: ${said}.`);
  if (UNTRUSTED.test(code)) {
    const advice =
      "To trust its certificate, name a file that has it in NODE_EXTRA_CA_CERTS, or pass `connect: { ca }` to " +
      "`createNodeHttpTransport` of @toolwire/client/node.";
    return new TransportError("CONNECT_FAILED", `${url.origin} cannot be reached: ${said}. ${advice}`, { cause });
  }
  if (UNCONNECTED.test(code) || wasSent === false) {
    const advice = "Is the server running, and the URL right?";
    return new TransportError("CONNECT_FAILED", `${url.origin} cannot be reached: ${said}. ${advice}`, { cause });
  }
  return new TransportError("CONNECTION_LOST", `The connection to ${url.origin} failed: ${said}.`, { cause });
}

function textOf(reason: Reason | undefined, code: string): string {
  // What OpenSSL says is for whoever reads its source.
  if (code.startsWith("ERR_SSL")) return code;
  const text = reason?.errors?.map(({ message }) => message).join(", ") ?? reason?.message ?? String(reason);
  return text.replace(/[.\s]+$/, "");
}

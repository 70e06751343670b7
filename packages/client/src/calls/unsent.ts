import { TransportError } from "@toolwire/protocol";

/** Rejects a call that waited in vain for a connection. That of others was lost under them; this one has not been sent. */
export function throwUnsent(error: unknown): never {
  if (!(error instanceof TransportError) || error.code !== "CONNECTION_LOST") throw error;
  throw new TransportError(error.code, `${error.message} The call was not sent.`, { cause: error.cause });
}

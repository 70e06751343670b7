/** The texts that callers of tools get if there is no response. They are constant: nobody can explore a network by them. */
import { ToolError } from "@toolwire/server";

/** The address is not allowed. The operator is told which one, and how to allow it. */
export function addressRefused(): ToolError {
  return new ToolError("Error: Upstream API address is not allowed");
}

/** No connection, or no name. */
export function unreachable(cause: unknown): ToolError {
  return new ToolError("Error: Upstream API could not be reached", { cause });
}

/** The connection ended in the middle of a response. */
export function connectionLost(cause: unknown): ToolError {
  return new ToolError("Error: Upstream API closed the connection before its response was complete", { cause });
}

/** No response in time. */
export function timedOut(milliseconds: number): ToolError {
  const message = `Error: Upstream API did not answer within ${describeDuration(milliseconds)}`;
  // Logs tell calls that took too long from others by this cause.
  return new ToolError(message, { cause: new DOMException(message, "TimeoutError") });
}

/** The response has more bytes than the tool allows. */
export function tooLarge(maxBytes: number): ToolError {
  return new ToolError(`Error: Upstream API response is larger than ${describeSize(maxBytes)}`);
}

/** The response cannot be decoded. */
export function undecodable(cause: unknown): ToolError {
  return new ToolError("Error: Upstream API response is compressed in a way that cannot be read", { cause });
}

/** Too many calls wait. */
export function busy(): ToolError {
  return new ToolError("Error: Upstream API is busy: too many calls are waiting for it. Try again later");
}

/** The caller has cancelled the call, or its time is over. */
export function cancelled(cause: unknown): ToolError {
  return new ToolError("Error: The call was cancelled", { cause });
}

/**
 * The message and the code of an error, and nothing else: errors of undici hold the bytes of a response, which may repeat a
 * credential.
 */
export function withoutDetails(error: unknown): Error & { readonly code?: string } {
  const { name, message, code } = error as Partial<NodeJS.ErrnoException>;
  const plain = new Error(String(message ?? error));
  return Object.assign(plain, { name: name ?? "Error", ...(typeof code === "string" && { code }) });
}

function describeDuration(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000} s` : `${milliseconds} ms`;
}

function describeSize(bytes: number): string {
  if (bytes % (1024 * 1024) === 0) return `${bytes / (1024 * 1024)} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

import { isShuttingDown } from "@toolwire/protocol/internal";

/**
 * Whether a server has not looked at a request, because it is too busy or shuts down, and says so by an HTTP status, whatever else
 * it says, or in the error of a channel.
 */
export function isPutOff(error: unknown): boolean {
  if (isShuttingDown(error)) return true;
  const { status, httpStatus = status } = Object(error) as { readonly status?: unknown; readonly httpStatus?: unknown };
  return httpStatus === 429 || httpStatus === 502 || httpStatus === 503 || httpStatus === 504;
}

/**
 * Whether a server has not looked at a request, because it is too busy or shuts down, and says so by an HTTP status: what
 * else it says has no part in that.
 */
export function isPutOff(error: unknown): boolean {
  const { status, httpStatus = status } = Object(error) as { readonly status?: unknown; readonly httpStatus?: unknown };
  return httpStatus === 429 || httpStatus === 502 || httpStatus === 503 || httpStatus === 504;
}

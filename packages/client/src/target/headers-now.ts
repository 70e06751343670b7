import type { HeadersNow, HttpTransportOptions } from "../http/transport.ts";

/** The header fields of this moment, for transports that only ask once. */
export async function headersNow(headers: HttpTransportOptions["headers"]): Promise<HeadersNow | undefined> {
  return typeof headers === "function" ? headers() : headers;
}

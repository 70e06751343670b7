import type { HttpMethod } from "./request-spec.ts";

/** An HTTP request, ready to be sent. Credentials are added to its headers or its path last. */
export interface HttpRequest {
  readonly method: HttpMethod;
  /** Scheme, host and port: `https://api.example.com`. Comes from the definition of the tool, never from arguments. */
  readonly origin: string;
  /** Path and query, exactly as they are sent. */
  path: string;
  /** By lower-case name. */
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | undefined;
  /** The values of the credentials in this request. Results and errors are cleared of them. */
  secrets?: readonly string[] | undefined;
}

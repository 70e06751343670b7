import { TransportError } from "@toolwire/protocol";

/**
 * An HTTP response that is not an MCP response. Its `status` helps to distinguish a legacy server, a wrong path and a
 * broken proxy.
 */
export class HttpStatusError extends TransportError {
  override readonly name: string = "HttpStatusError";
  readonly status: number;

  constructor(status: number, message: string) {
    super("UNEXPECTED_RESPONSE", message);
    this.status = status;
  }
}

import { TransportError } from "@toolwire/protocol";

/** An HTTP answer that is no MCP answer. The status tells a legacy server, a wrong path and a broken proxy apart. */
export class HttpStatusError extends TransportError {
  override readonly name: string = "HttpStatusError";
  readonly status: number;

  constructor(status: number, message: string) {
    super("UNEXPECTED_RESPONSE", message);
    this.status = status;
  }
}

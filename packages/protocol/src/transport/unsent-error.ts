import { TransportError } from "../errors.ts";

/**
 * A message that was certainly not sent, because the connection takes no more of them. It can be sent over another one. The
 * `cause` says what is wrong with the connection, and has the same code.
 */
export class UnsentError extends TransportError {
  constructor(cause: TransportError) {
    super(cause.code, `The message was not sent. ${cause.message}`, { cause });
  }
}

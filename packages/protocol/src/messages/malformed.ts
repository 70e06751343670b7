import { ErrorCode, ProtocolViolation, RpcError } from "../errors.ts";
import { toErrorResponse } from "./encode.ts";
import type { ErrorMessage, RequestId } from "./message.ts";

/** Text or JSON that is no message. It knows how to answer, where the peer may expect an answer. */
export class MalformedMessage extends ProtocolViolation {
  override readonly name: string = "MalformedMessage";
  /** -32700 if it was not JSON, -32600 if it was JSON but no message. */
  readonly rpcCode: number;
  /** The id, where one could be made out. */
  readonly id: RequestId | undefined;
  /** False for broken responses: answering a response could go on forever. */
  readonly mayAnswer: boolean;

  constructor(
    rpcCode: typeof ErrorCode.ParseError | typeof ErrorCode.InvalidRequest,
    message: string,
    options: { id?: RequestId | undefined; mayAnswer?: boolean; cause?: unknown } = {},
  ) {
    super(rpcCode === ErrorCode.ParseError ? "PARSE_ERROR" : "INVALID_MESSAGE", message, { cause: options.cause });
    this.rpcCode = rpcCode;
    this.id = options.id;
    this.mayAnswer = options.mayAnswer ?? true;
  }

  /** The error response that tells the sender what was wrong. */
  toResponse(): ErrorMessage {
    return toErrorResponse(this.id, new RpcError(this.rpcCode, this.message));
  }
}

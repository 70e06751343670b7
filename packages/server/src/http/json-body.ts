import { ErrorCode, MalformedMessage } from "@toolwire/protocol";
import type { HttpCall } from "./call.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import type { BodyReceiver } from "./front.ts";
import { refuseBroken } from "./refusals.ts";

/** Takes the body of a POST as a JSON value, and refuses what is none. */
export abstract class JsonBody implements BodyReceiver {
  protected readonly endpoint: HttpEndpoint;
  protected readonly call: HttpCall;

  constructor(endpoint: HttpEndpoint, call: HttpCall) {
    this.endpoint = endpoint;
    this.call = call;
  }

  /** Does what the body asks for. Throws a `MalformedMessage` if it is not of the right shape. */
  protected abstract accept(value: unknown): void;

  text(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return this.call.refuse(400, ErrorCode.ParseError, `The body is not JSON: ${(error as Error).message}`);
    }
    this.value(value);
  }

  value(value: unknown): void {
    try {
      this.accept(value);
    } catch (error) {
      if (error instanceof MalformedMessage) {
        return this.call.refuse(400, error.rpcCode, error.message, { id: error.mayAnswer ? error.id : undefined });
      }
      refuseBroken(this.endpoint.serving, this.call, error);
    }
  }

  tooLarge(): void {
    const message = `The body is larger than the ${this.endpoint.settings.maxBodyBytes} bytes allowed here.`;
    this.call.refuse(413, ErrorCode.InvalidRequest, message);
  }

  gone(): void {
    const message =
      "The body of a request was read before it came here: let this handler read it, or pass it on parsed.";
    refuseBroken(this.endpoint.serving, this.call, new Error(message));
  }

  notUtf8(): void {
    this.call.refuse(400, ErrorCode.ParseError, "The body is not UTF-8.");
  }
}

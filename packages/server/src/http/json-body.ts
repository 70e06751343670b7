import type { HttpCall } from "./call.ts";
import type { HttpEndpoint } from "./endpoint.ts";
import type { BodyReceiver } from "./front.ts";

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
      return this.#refuseUnreadable(`JSON: ${(error as Error).message}`);
    }
    this.value(value);
  }

  value(value: unknown): void {
    const { call, endpoint } = this;
    if (!endpoint.isOpenFor(call)) return;
    try {
      this.accept(value);
    } catch (error) {
      call.turnAway((by) => by.refuseMessage(call, endpoint.serving, error));
    }
  }

  tooLarge(): void {
    const { call, endpoint } = this;
    call.turnAway((by) => by.refuseLarge(call, endpoint.settings.maxBodyBytes));
  }

  gone(): void {
    const { call, endpoint } = this;
    call.turnAway((by) => by.refuseConsumed(call, endpoint.serving));
  }

  notUtf8(): void {
    this.#refuseUnreadable("UTF-8.");
  }

  #refuseUnreadable(expected: string): void {
    const { call } = this;
    call.turnAway((by) => by.refuseUnreadable(call, expected));
  }
}

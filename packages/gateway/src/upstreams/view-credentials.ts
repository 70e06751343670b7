import type { ClientAuth } from "@toolwire/client/auth";
import type { UpstreamConfig } from "../config/config.ts";
import { createUpstreamAuth } from "./upstream-auth.ts";
import type { UpstreamOptions } from "./upstream.ts";

/** How many tokens of a principal are remembered, so that they can be taken out of texts: those of calls in flight. */
const MAX_TOKENS = 16;

/** The credentials with which an upstream is reached for one principal, or for all, and the login behind them. */
export class ViewCredentials {
  /** Those that were used so far. The list grows during calls, and is looked into when they end. */
  readonly secrets: string[] = [];
  readonly #config: UpstreamConfig;
  readonly #options: UpstreamOptions;
  readonly #principal: string | undefined;
  /** Kept over connections, so that they share tokens. */
  #auth: Promise<ClientAuth | undefined> | undefined;
  /** The tokens and secrets of `auth`, the oldest first. */
  readonly #tokens: string[] = [];
  /** The login that the last connection was opened with. */
  #loginState: string | undefined;

  constructor(config: UpstreamConfig, options: UpstreamOptions, principal: string | undefined) {
    this.#config = config;
    this.#options = options;
    this.#principal = principal;
  }

  /** Notes what the target is sent besides tokens, such as headers. */
  addHidden(): void {
    for (const secret of this.#options.hidden?.(this.#principal) ?? []) {
      if (!this.secrets.includes(secret)) this.secrets.push(secret);
    }
  }

  /** The credentials for a connection that is being opened, and the login that it is opened with. */
  async forConnection(): Promise<ClientAuth | undefined> {
    this.#loginState = await this.#options.logins?.stateOf(this.#principal);
    const made = (this.#auth ??= createUpstreamAuth(this.#config, this.#options, this.#principal, (secret) =>
      this.#note(secret),
    ));
    // A credential that is not set now may be set when the next connection is opened.
    made.catch(() => {
      if (this.#auth === made) this.#auth = undefined;
    });
    return made;
  }

  /** Has the next connection read its credentials anew. */
  reset(): void {
    this.#auth = undefined;
  }

  /** Whether somebody has logged in or out since the last connection was opened, which may have failed for want of a login. */
  async hasOtherLogin(isLoginNeeded: boolean): Promise<boolean> {
    const { logins } = this.#options;
    if (logins === undefined) return false;
    const now = await logins.stateOf(this.#principal).catch(() => this.#loginState);
    // Renewals change the state as well. They are of no interest to a connection that works.
    return isLoginNeeded ? now !== this.#loginState : (now === undefined) !== (this.#loginState === undefined);
  }

  #note(secret: string): void {
    this.#options.note?.(secret);
    if (this.secrets.includes(secret)) return;
    this.secrets.push(secret);
    this.#tokens.push(secret);
    if (this.#tokens.length <= MAX_TOKENS) return;
    const place = this.secrets.indexOf(this.#tokens.shift() ?? "");
    if (place !== -1) this.secrets.splice(place, 1);
  }
}

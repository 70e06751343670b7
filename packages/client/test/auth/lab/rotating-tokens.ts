/** An authorization server in memory that rotates refresh tokens, and revokes all tokens of a login if one is used twice. */
export class RotatingTokens {
  /** How often a refresh token was used twice. */
  reuses = 0;
  revocations = 0;
  refreshes = 0;
  #count = 0;
  readonly #logins = new Map<string, { access: string; refresh: string; isRevoked: boolean }>();
  readonly #ofToken = new Map<string, string>();

  logIn(): TokenResponse {
    return this.#issue(`login-${++this.#count}`);
  }

  accepts(accessToken: string): boolean {
    const login = this.#logins.get(this.#ofToken.get(accessToken) ?? "");
    return login?.isRevoked === false && login.access === accessToken;
  }

  /** Ends all access tokens, and no login. */
  expireAll(): void {
    for (const login of this.#logins.values()) login.access = "";
  }

  refresh(refreshToken: string): TokenResponse | undefined {
    const id = this.#ofToken.get(refreshToken);
    const login = id === undefined ? undefined : this.#logins.get(id);
    if (login === undefined || login.isRevoked) return undefined;
    if (login.refresh !== refreshToken) {
      this.reuses += 1;
      login.isRevoked = true;
      return undefined;
    }
    this.refreshes += 1;
    return this.#issue(id!);
  }

  revoke(token: string): void {
    this.revocations += 1;
    const login = this.#logins.get(this.#ofToken.get(token) ?? "");
    if (login !== undefined) login.isRevoked = true;
  }

  #issue(login: string): TokenResponse {
    const count = ++this.#count;
    const tokens = { access_token: `access-${count}`, refresh_token: `refresh-${count}`, token_type: "Bearer" };
    this.#logins.set(login, { access: tokens.access_token, refresh: tokens.refresh_token, isRevoked: false });
    this.#ofToken.set(tokens.access_token, login).set(tokens.refresh_token, login);
    return tokens;
  }
}

export interface TokenResponse {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
}

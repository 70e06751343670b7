/** As much of a browser as a login needs: it follows redirects, keeps cookies, and fills in forms. */
export class Browser {
  readonly #cookies = new Map<string, string>();
  /** The addresses that it has been at. */
  readonly visited: URL[] = [];

  /** The text of a page, and where it is. */
  async open(address: string | URL, form?: URLSearchParams): Promise<Page> {
    let url = new URL(address);
    let body = form;
    for (let step = 0; step < 20; step += 1) {
      this.visited.push(url);
      const response = await fetch(url, {
        redirect: "manual",
        method: body === undefined ? "GET" : "POST",
        headers: { cookie: this.#cookieHeader(), ...(body && { origin: url.origin }) },
        ...(body && { body }),
      });
      this.#keepCookies(response);
      const location = response.headers.get("location");
      if (location === null) return { url, status: response.status, text: await response.text() };
      url = new URL(location, url);
      body = undefined;
      if (url.searchParams.has("code") && url.pathname === "/done") return { url, status: 0, text: "" };
    }
    throw new Error(`Too many redirects, the last one to ${url}`);
  }

  /** Submits the form of a page. */
  submit({ url, text }: Page, fields: Record<string, string>): Promise<Page> {
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1];
    if (action === undefined) throw new Error(`There is no form at ${url}: ${text}`);
    return this.open(new URL(action, url), new URLSearchParams(fields));
  }

  #cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keepCookies(response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const separator = pair.indexOf("=");
      this.#cookies.set(pair.slice(0, separator), pair.slice(separator + 1));
    }
  }
}

/** A page of a {@link Browser}. */
export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

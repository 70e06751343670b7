/** Talks to the admin API of a gateway, with the admin token. */
export class AdminCaller {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    this.#url = url;
    this.#headers = headers;
  }

  async send(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.#url}/api/v1/${path}`, {
      method,
      headers: {
        ...this.#headers,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Makes an API key. */
  async createKey(name: string): Promise<{ readonly id: string; readonly secret: string }> {
    const response = await this.send("POST", "keys", { name });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const { key, secret } = (await response.json()) as {
      readonly key: { readonly id: string };
      readonly secret: string;
    };
    return { id: key.id, secret };
  }

  /** The ids of all calls of a tool that the log has, in the order of the log. */
  async listCalls(tool: string): Promise<readonly string[]> {
    const response = await this.send("GET", `calls/export?last=1h&format=jsonl&tool=${tool}`);
    const lines = (await response.text()).split("\n").filter((line) => line !== "");
    return lines.map((line) => (JSON.parse(line) as { readonly id: string }).id);
  }
}

/** Calls a tool over a connection of its own, as a client without a session does. */
export async function callTool(
  gateway: string,
  slug: string,
  name: string,
  { key, args = {} }: { readonly key?: string | undefined; readonly args?: object } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${gateway}/mcp/${slug}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      connection: "close",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const { result } = (await response.json()) as { readonly result?: { content?: readonly { text?: string }[] } };
  return { status: response.status, text: result?.content?.[0]?.text ?? "" };
}

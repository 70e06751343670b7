import { describe, expect, test } from "vitest";
import { AuthNetwork, parseObject, readSecureUrl, shown } from "../../src/auth/network/network.ts";

const DOCUMENT = "https://as.example/metadata?secret=canary";

/** The network of a server whose authorization server answers like this. */
function networkWith(answer: (url: URL, init: RequestInit) => Response | Promise<Response>): AuthNetwork {
  const fetch = async (url: URL, init: RequestInit): Promise<Response> => answer(url, init);
  return new AuthNetwork({ url: new URL("https://mcp.example/mcp"), http: { fetch } } as never, undefined);
}

describe("a document of a stranger", () => {
  test("is a JSON object with status 200", async () => {
    const get = (answer: () => Response) => networkWith(answer).getDocument(DOCUMENT, undefined);
    expect(await get(() => Response.json({ a: 1 }))).toEqual({ status: 200, document: { a: 1 } });
    for (const body of ["[]", "null", "7", '"text"', "", "{", "<html>"]) {
      expect(await get(() => new Response(body))).toEqual({ status: 200, document: undefined });
    }
    for (const status of [201, 204, 301, 302, 400, 401, 403, 404, 407, 409, 428, 430, 499]) {
      const body = status === 204 ? null : '{"a":1}';
      expect(await get(() => new Response(body, { status }))).toEqual({ status, document: undefined });
    }
  });

  test.each([408, 429, 500, 502, 503, 599])("is to be asked for again later after status %i", async (status) => {
    const asking = networkWith(() => Response.json({ a: 1 }, { status })).getDocument(DOCUMENT, undefined);
    await expect(asking).rejects.toMatchObject({
      code: "TEMPORARY",
      message: `https://as.example/metadata answered with HTTP status ${status}. Try again later.`,
    });
  });

  test("is asked for without credentials, without redirects, and with the revision that is given", async () => {
    const sent: RequestInit[] = [];
    const network = networkWith((_, init) => {
      sent.push(init);
      return Response.json({});
    });
    await network.getDocument(DOCUMENT, undefined);
    await network.getDocument(DOCUMENT, undefined, "2026-07-28");
    const init = { method: "GET", redirect: "manual", credentials: "omit", cache: "no-store" };
    expect(sent).toMatchObject([init, init]);
    expect(sent.map(({ headers }) => headers)).toEqual([
      { accept: "application/json" },
      { accept: "application/json", "mcp-protocol-version": "2026-07-28" },
    ]);
  });

  test("is nested up to 32 levels", () => {
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    expect(parseObject(nested(32))).toBeDefined();
    expect(parseObject(nested(33))).toBeUndefined();
    expect(parseObject(`{"a":${"[".repeat(31)}${"]".repeat(31)}}`)).toBeDefined();
    expect(parseObject(`{"a":${"[".repeat(32)}${"]".repeat(32)}}`)).toBeUndefined();
  });

  test("has a mebibyte at most, and is not read any further", async () => {
    const sizeOf = async (bytes: number): Promise<number> => {
      const response = await networkWith(() => new Response("x".repeat(bytes))).fetch(DOCUMENT, {});
      return (await response.text()).length;
    };
    expect(await sizeOf(1024 * 1024)).toBe(1024 * 1024);
    await expect(sizeOf(1024 * 1024 + 1)).rejects.toMatchObject({ code: "UNSUPPORTED_SERVER" });
    let isCancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
      cancel: () => void (isCancelled = true),
    });
    await expect(networkWith(() => new Response(endless)).fetch(DOCUMENT, {})).rejects.toMatchObject({
      code: "UNSUPPORTED_SERVER",
      message: "https://as.example/metadata sent more than 1048576 bytes.",
    });
    expect(isCancelled).toBe(true);
  });

  test("that a browser hides behind a redirect counts as a redirect", async () => {
    const opaque = { status: 0, headers: new Headers(), body: null } as unknown as Response;
    expect((await networkWith(() => opaque).fetch(DOCUMENT, {})).status).toBe(302);
    for (const status of [204, 304]) {
      const response = await networkWith(() => new Response(null, { status })).fetch(DOCUMENT, {});
      expect([response.status, await response.text()]).toEqual([status, ""]);
    }
  });
});

describe("a request that fails", () => {
  test("names the place and the reason, without what was sent", async () => {
    const failing = (error: Error): Promise<unknown> =>
      networkWith(() => Promise.reject(error)).fetch(DOCUMENT, { body: "canary" });
    const cause = Object.assign(new Error("canary"), { code: "ECONNREFUSED" });
    const failure = { code: "TEMPORARY" };
    const place = "https://as.example/metadata cannot be reached";
    await expect(failing(new TypeError("fetch failed", { cause }))).rejects.toMatchObject({
      ...failure,
      message: `${place}: ECONNREFUSED. Try again later.`,
    });
    expect(((await failing(cause).catch((error: unknown) => error)) as Error).cause).toBeUndefined();
    await expect(failing(new Error("It is away."))).rejects.toMatchObject({
      ...failure,
      message: `${place}: It is away. Try again later.`,
    });
    await expect(failing(new Error("y".repeat(300)))).rejects.toMatchObject({
      message: `${place}: ${"y".repeat(200)}. Try again later.`,
    });
  });

  test("because its caller has given up fails with the reason of the caller", async () => {
    const stop = new AbortController();
    const network = networkWith(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    );
    const asking = network.fetch(DOCUMENT, { signal: stop.signal });
    stop.abort(new Error("never mind"));
    await expect(asking).rejects.toThrow("never mind");
  });
});

describe("the URL of a stranger", () => {
  test.each([
    ["https://a.example/x", true],
    ["http://localhost:1/x", true],
    ["http://a.example/canary", false],
    ["https://user@a.example/", false],
    ["https://:canary@a.example/", false],
    ["canary", false],
    [7, false],
    [undefined, false],
  ])("%j may be visited: %s", (href, isFine) => {
    if (isFine) {
      expect(readSecureUrl(href, "The place").href).toBe(href);
    } else {
      expect(() => readSecureUrl(href, "The place")).toThrow(
        expect.objectContaining({ code: "INSECURE_URL", message: expect.stringMatching(/^The place /) as string }),
      );
    }
  });

  test("is shown without its query, its credentials and its end", () => {
    expect(shown("https://user:pass@a.example:8443/x?y#z")).toBe("https://a.example:8443/x");
    expect(shown("nowhere")).toBe("no URL");
    expect(shown(`https://a.example/${"x".repeat(300)}`)).toHaveLength(200);
  });
});

describe("the challenge of a server without credentials", () => {
  test("is its header, if it has one, and nothing if it cannot be reached", async () => {
    const ask = (answer: () => Response | Promise<Response>): Promise<string | undefined> =>
      networkWith(answer).askForChallenge(new AbortController().signal);
    const headers = { "www-authenticate": "Bearer scope=a" };
    expect(await ask(() => new Response("", { status: 401, headers }))).toBe("Bearer scope=a");
    expect(await ask(() => new Response(""))).toBeUndefined();
    expect(await ask(() => Promise.reject(new Error("away")))).toBeUndefined();
  });

  test("is not waited for when the caller has given up", async () => {
    const stop = new AbortController();
    const asking = networkWith(() => new Promise(() => {})).askForChallenge(stop.signal);
    stop.abort(new Error("never mind"));
    await expect(asking).rejects.toThrow("never mind");
  });
});

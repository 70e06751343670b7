import { connect } from "@toolwire/client";
import { memoryStore, oauth } from "@toolwire/client/auth";
import { completeLogin, completePopup, popupLogin, redirectLogin } from "@toolwire/client/auth/browser";
import { calculatePKCECodeChallenge } from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { OpenedWindow, Page } from "../../../src/auth/browser/page.ts";
import { type SiteParts, openSite } from "../lab/scripted-site.ts";

afterEach(() => vi.unstubAllGlobals());

/** The parts of a browser's tab that outlive its pages. */
let storage: Map<string, string>;
/** Where the page was left for. */
let visited: URL[];
let windows: OpenedWindow[];
let isBlocked = false;

/** Shows another page of the application in the same tab. */
function showPage(href: string): Page {
  const location = {
    href,
    origin: new URL(href).origin,
    pathname: new URL(href).pathname,
    assign: (url: URL) => void visited.push(url),
  };
  const page: Page = {
    location,
    history: { state: null, replaceState: (_, __, url) => void (location.href = new URL(url, location.href).href) },
    sessionStorage: {
      get length() {
        return storage.size;
      },
      key: (index) => [...storage.keys()][index] ?? null,
      getItem: (key) => storage.get(key) ?? null,
      setItem: (key, value) => void storage.set(key, value),
      removeItem: (key) => void storage.delete(key),
    },
    document: { hasFocus: () => true },
    open: () => {
      if (isBlocked) return null;
      const opened = {
        closed: false,
        opener: page as unknown,
        location: { href: "about:blank" },
        close: () => void (opened.closed = true),
      };
      windows.push(opened);
      return opened;
    },
    close: () => {},
  };
  for (const [name, value] of Object.entries(page)) vi.stubGlobal(name, value);
  return page;
}

beforeEach(() => {
  storage = new Map();
  visited = [];
  windows = [];
  isBlocked = false;
});

describe("leaving the page", () => {
  const begin = async (parts: SiteParts = {}) => {
    const server = await openSite(parts);
    // Each page has a memory of its own.
    const auth = () => oauth({ store: memoryStore(), login: redirectLogin() });
    showPage("https://app.example/chat?tab=1");
    const stop = new AbortController();
    const first = connect(`${server.origin}/mcp`, { auth: auth(), revision: "2026-07-28", signal: stop.signal });
    first.catch(() => {});
    await expect.poll(() => visited.length).toBe(1);
    stop.abort(new Error("The page is gone."));
    return { server, auth, state: visited[0]!.searchParams.get("state")! };
  };

  test("the page that the user comes back to finishes the login, and its address holds no code", async () => {
    const { server, auth, state } = await begin();
    expect(visited[0]?.searchParams.get("redirect_uri")).toBe("https://app.example/chat");
    const page = showPage(`https://app.example/chat?tab=1&code=the-code&state=${state}`);
    expect(completeLogin()?.href).toBe(`${server.origin}/mcp`);
    expect(page.location.href).toBe("https://app.example/chat?tab=1");
    const client = await connect(`${server.origin}/mcp`, { auth: auth(), revision: "2026-07-28" });
    await client.close();
    const { form } = server.at("/token")[0]!;
    expect(form.get("code")).toBe("the-code");
    expect(await calculatePKCECodeChallenge(form.get("code_verifier")!)).toBe(
      visited[0]!.searchParams.get("code_challenge"),
    );
    expect(visited).toHaveLength(1);
    expect(storage.size).toBe(0);
  });

  test("a login is finished although another tab has registered anew in the same store meanwhile", async () => {
    const server = await openSite();
    const store = memoryStore();
    const auth = () => oauth({ store, login: redirectLogin() });
    const states: string[] = [];
    // Another path is another redirect URI, which the first registration does not have.
    for (const path of ["one", "two"]) {
      showPage(`https://app.example/${path}`);
      const stop = new AbortController();
      const leaving = connect(`${server.origin}/mcp`, { auth: auth(), revision: "2026-07-28", signal: stop.signal });
      leaving.catch(() => {});
      await expect.poll(() => visited.length).toBe(states.length + 1);
      stop.abort(new Error("The page is gone."));
      await leaving.catch(() => undefined);
      states.push(visited.at(-1)!.searchParams.get("state")!);
    }
    showPage(`https://app.example/one?code=the-code&state=${states[0]}`);
    const client = await connect(`${server.origin}/mcp`, { auth: auth(), revision: "2026-07-28" });
    await client.close();
    expect(server.at("/token")[0]?.form.get("client_id")).toBe("client-1");
  });

  test("tokens are bound to a key of the page that the user comes back to, and the code to none", async () => {
    const { server, auth, state } = await begin({
      resource: () => ({ dpop_bound_access_tokens_required: true }),
      token: () => ({ json: { access_token: "bound", token_type: "DPoP" } }),
    });
    expect(visited[0]?.searchParams.has("dpop_jkt")).toBe(false);
    showPage(`https://app.example/chat?code=the-code&state=${state}`);
    const client = await connect(`${server.origin}/mcp`, { auth: auth(), revision: "2026-07-28" });
    await client.close();
    expect(server.at("/token")[0]?.headers["dpop"]).toBeDefined();
    const { headers } = server.at("/mcp").at(-1)!;
    expect(headers.authorization).toBe("DPoP bound");
    expect(headers["dpop"]).toBeDefined();
  });

  test("a response of another login, of another issuer, or a second time, finishes nothing", async () => {
    const { server, auth, state } = await begin();
    showPage("https://app.example/chat?code=evil&state=unknown");
    expect(completeLogin()).toBeUndefined();
    showPage(`https://app.example/chat?code=evil&state=${state}&iss=https://evil.example`);
    completeLogin();
    await expect(connect(`${server.origin}/mcp`, { auth: auth(), revision: "2026-07-28" })).rejects.toMatchObject({
      code: "ISSUER_MISMATCH",
    });
    showPage(`https://app.example/chat?code=again&state=${state}`);
    expect(completeLogin()).toBeUndefined();
    expect(server.at("/token")).toHaveLength(0);
  });

  test("a page is never sent to a URL that would run a script", async () => {
    const server = await openSite({ issuer: () => ({ authorization_endpoint: "javascript:alert(1)" }) });
    showPage("https://app.example/");
    await expect(
      connect(`${server.origin}/mcp`, { auth: oauth({ login: redirectLogin() }), revision: "2026-07-28" }),
    ).rejects.toMatchObject({ code: "INSECURE_URL" });
    expect(visited).toHaveLength(0);
  });
});

describe("a window", () => {
  const redirectUri = "https://app.example/done";

  test("the window tells its response to the page that opened it, and is closed", async () => {
    const server = await openSite();
    showPage("https://app.example/");
    const connecting = connect(`${server.origin}/mcp`, {
      auth: oauth({ login: popupLogin({ redirectUri }) }),
      revision: "2026-07-28",
    });
    await expect.poll(() => windows[0]?.location.href ?? "").toContain("/authorize?");
    const state = new URL(windows[0]!.location.href).searchParams.get("state")!;
    // A page that knows no state cannot answer.
    completePopup(`${redirectUri}?code=evil&state=unknown`);
    completePopup(`${redirectUri}?code=the-code&state=${state}`);
    const client = await connecting;
    await client.close();
    expect(server.at("/token")[0]?.form.get("code")).toBe("the-code");
    expect(windows[0]?.closed).toBe(true);
    // The page of the login cannot send the page that opened it elsewhere.
    expect(windows[0]?.opener).toBeNull();
  });

  test("a window that the user closes, or the browser blocks, is a login that was given up", async () => {
    const server = await openSite();
    showPage("https://app.example/");
    const auth = oauth({ login: popupLogin({ redirectUri }) });
    const connecting = connect(`${server.origin}/mcp`, { auth, revision: "2026-07-28" });
    connecting.catch(() => {});
    await expect.poll(() => windows[0]?.location.href ?? "").toContain("/authorize?");
    windows[0]!.close();
    await expect(connecting).rejects.toMatchObject({ code: "LOGIN_CANCELLED" });
    isBlocked = true;
    await expect(connect(`${server.origin}/mcp`, { auth, revision: "2026-07-28" })).rejects.toThrow(/blocked/);
  });
});

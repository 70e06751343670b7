import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { connect, textOf } from "@toolwire/client";
import { oauth } from "@toolwire/client/auth";
import { loopbackLogin, type LoopbackLoginOptions, pasteLogin } from "@toolwire/client/auth/node";
import { afterEach, describe, expect, test } from "vitest";
import type { LoginAttempt, LoginRequest } from "../../../src/auth/login/login.ts";
import { hasBrowser, openCommand } from "../../../src/auth/node/open-browser.ts";
import { startProvider } from "../lab/identity-provider.ts";
import { startProtectedServer } from "../lab/protected-server.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

/** Begins a login whose page is opened by the test. */
async function begin(options: LoopbackLoginOptions = {}, redirectUri?: string) {
  const login = loopbackLogin({ open: () => {}, show: () => {}, ...options });
  const attempt: LoginAttempt = await login.start({ redirectUri });
  cleanups.push(() => attempt.close?.());
  const stop = new AbortController();
  const asked: LoginRequest = {
    server: new URL("https://mcp.example/mcp"),
    issuer: "https://as.example",
    resource: undefined,
    scopes: undefined,
    state: "the-right-state",
    redirectUri: attempt.redirectUri,
    signal: stop.signal,
    record: () => "{}",
  };
  const response = attempt.authorize(new URL("https://as.example/authorize"), asked);
  response.catch(() => {});
  return { attempt, response, stop, asked };
}

/** Sends a request with any headers, as no browser would. */
function send(url: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const sent = request(url, { agent: false, ...options }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("the listener", () => {
  test("threat 9: 1 000 wrong requests do not end a login, and the right one does", async () => {
    const { attempt, response } = await begin();
    const { origin } = new URL(attempt.redirectUri);
    const wrong = [
      "/callback",
      "/callback?state=wrong&code=evil",
      "/callback?code=evil",
      "/",
      "/favicon.ico",
      "/callback?state=the-right-state&state=x&code=evil",
      "//x/callback?state=the-right-state",
    ];
    for (let index = 0; index < 1000; index += 20) {
      await Promise.all(
        Array.from({ length: 20 }, async (_, offset) => {
          const { status } = await send(`${origin}${wrong[(index + offset) % wrong.length]}`);
          expect(status).toBeGreaterThanOrEqual(400);
        }),
      );
    }
    await send(`${attempt.redirectUri}?state=the-right-state&code=good&iss=x`);
    expect(String(await response)).toBe("state=the-right-state&code=good&iss=x");
  }, 60_000);

  test("threat 10: a foreign Host is refused", async () => {
    const { attempt, response, stop } = await begin();
    for (const host of [
      "evil.example",
      "evil.example:80",
      "127.0.0.1.evil.example",
      "10.0.0.1",
      "localhost.evil",
      "[::ffff:8.8.8.8]",
    ]) {
      const { status } = await send(`${attempt.redirectUri}?state=the-right-state&code=stolen`, { headers: { host } });
      expect([host, status]).toEqual([host, 403]);
    }
    for (const method of ["POST", "PUT", "OPTIONS", "HEAD"]) {
      expect((await send(`${attempt.redirectUri}?state=the-right-state&code=c`, { method })).status).toBe(403);
    }
    stop.abort(new Error("over"));
    await expect(response).rejects.toThrow("over");
  });

  test("threat 13: the pages repeat nothing of a request", async () => {
    const { attempt, response } = await begin();
    const evil = "<script>alert(1)</script>canary";
    const pages = [
      await send(`${attempt.redirectUri}?state=${encodeURIComponent(evil)}`),
      await send(`${attempt.redirectUri}/${encodeURIComponent(evil)}`),
      await send(
        `${attempt.redirectUri}?state=the-right-state&error=${encodeURIComponent(evil)}&error_description=canary`,
      ),
    ];
    for (const { text, headers } of pages) {
      expect(text + JSON.stringify(headers)).not.toMatch(/canary|script>/);
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
      expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
    }
    expect(pages[2]).toMatchObject({ status: 303, headers: { location: "/callback/done" } });
    const done = await send(`${attempt.redirectUri}/done`);
    expect(done.status).toBe(200);
    expect(done.text).not.toContain("code");
    expect(String(await response)).toContain("error=");
  });

  test("the last page is shown although the login is over before the browser asks for it", async () => {
    const { attempt, response } = await begin();
    await send(`${attempt.redirectUri}?state=the-right-state&error=access_denied`);
    await response;
    await attempt.close?.();
    expect((await send(`${attempt.redirectUri}/done`)).status).toBe(200);
    // Nobody listens after that.
    await expect
      .poll(() => send(`${attempt.redirectUri}/done`).catch((error: { code?: string }) => error.code))
      .toBe("ECONNREFUSED");
  });

  test("threat 8: a redirect is taken once", async () => {
    const { attempt, response } = await begin();
    await send(`${attempt.redirectUri}?state=the-right-state&code=first`);
    expect((await send(`${attempt.redirectUri}?state=the-right-state&code=second`)).status).toBe(400);
    expect(String(await response)).toContain("first");
  });

  test("the port of an earlier registration is used again, and another one if it is taken", async () => {
    const first = await begin();
    const taken = await begin({}, first.attempt.redirectUri);
    expect(taken.attempt.redirectUri).not.toBe(first.attempt.redirectUri);
    await first.attempt.close?.();
    const again = await begin({}, first.attempt.redirectUri);
    expect(again.attempt.redirectUri).toBe(first.attempt.redirectUri);
  });

  test.each(["127.0.0.1", "localhost"] as const)(
    "at %s, the redirect URI leads to the listener, and keeps its name the next time",
    async (host) => {
      const first = await begin({ host });
      const { hostname, port } = new URL(first.attempt.redirectUri);
      expect(hostname).toBe(host);
      expect((await send(`http://127.0.0.1:${port}/callback`)).status).toBe(400);
      await first.attempt.close?.();
      const again = await begin({ host }, first.attempt.redirectUri);
      expect(again.attempt.redirectUri).toBe(first.attempt.redirectUri);
    },
  );

  test.runIf(hasIpv6)("at ::1, the redirect URI leads to the listener", async () => {
    const { attempt } = await begin({ host: "::1" });
    expect(attempt.redirectUri).toMatch(/^http:\/\/\[::1\]:\d+\/callback$/);
    expect((await send(attempt.redirectUri)).status).toBe(400);
  });

  test("the port of an earlier registration is not used for another path, nor where a port is given", async () => {
    const first = await begin();
    await first.attempt.close?.();
    const { port } = new URL(first.attempt.redirectUri);
    const elsewhere = await begin({ path: "/other" }, first.attempt.redirectUri);
    expect(new URL(elsewhere.attempt.redirectUri).pathname).toBe("/other");
    expect(new URL(elsewhere.attempt.redirectUri).port).not.toBe(port);
    const free = await begin();
    await free.attempt.close?.();
    const given = new URL(free.attempt.redirectUri).port;
    const fixed = await begin({ port: Number(given) }, first.attempt.redirectUri);
    expect(new URL(fixed.attempt.redirectUri).port).toBe(given);
  });

  test("a fixed port that is taken is an error that says so", async () => {
    const { attempt } = await begin();
    const port = Number(new URL(attempt.redirectUri).port);
    await expect(Promise.resolve(loopbackLogin({ port }).start({ redirectUri: undefined }))).rejects.toMatchObject({
      code: "LOGIN_FAILED",
      message: /port/,
    });
  });

  test("options that would show the login to others are refused", () => {
    expect(() => loopbackLogin({ host: "0.0.0.0" as never })).toThrow(/127\.0\.0\.1/);
    expect(() => loopbackLogin({ port: 70_000 })).toThrow(/port/);
    expect(() => loopbackLogin({ path: "/a?b" })).toThrow(/path/);
  });
});

test.runIf(process.platform === "linux")(
  "by default, the page is opened in the user's browser, and the user is told",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "browser-"));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const opened = join(folder, "opened");
    // The system's program for that is found by its name.
    await writeFile(
      join(folder, "xdg-open"),
      `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
      { mode: 0o755 },
    );
    const environment = { ...process.env };
    cleanups.push(() => {
      process.env = environment;
    });
    const { SSH_CONNECTION: _connection, SSH_TTY: _terminal, ...rest } = environment;
    process.env = { ...rest, DISPLAY: ":0", PATH: `${folder}:${environment["PATH"]}` };
    const shown: string[] = [];
    await begin({ open: undefined, show: (text) => shown.push(text) });
    await expect.poll(() => readFile(opened, "utf8").catch(() => "")).toBe("https://as.example/authorize");
    expect(shown).toEqual(["Log in at as.example in the browser window that has opened."]);
  },
);

describe("open: $(…), quotes, %, newline, --flag, file:, javascript:", () => {
  test.each(["linux", "darwin", "win32"] as const)(
    "threat 12: on %s, the URL is one argument, written anew",
    (platform) => {
      const nasty = "https://as.example/a?x=$(touch x)`id`&y=\"';|%0a\n--flag%PATH%^&z=<>";
      const { command, args } = openCommand(nasty, platform);
      expect(["xdg-open", "open", "rundll32"]).toContain(command);
      const url = args.at(-1)!;
      expect(url).toBe(new URL(nasty).href);
      expect(url).toMatch(/^https:\/\/as\.example\//);
      expect(url).not.toMatch(/[\s"<>\n]/);
      expect(args.length).toBeLessThanOrEqual(2);
      for (const refused of [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://as.example/",
        "--help",
        "calc.exe",
        "ms-settings:x",
        "data:text/html,x",
        "https://u:p@as.example/",
        "ftp://x/",
        "",
      ]) {
        expect(() => openCommand(refused, platform)).toThrow(expect.objectContaining({ code: "INSECURE_URL" }));
      }
      expect(openCommand("http://localhost:1/x", platform).args.at(-1)).toBe("http://localhost:1/x");
    },
  );

  test("a page is opened only where the user can see it", () => {
    expect(hasBrowser({ DISPLAY: ":0" }, "linux")).toBe(true);
    expect(hasBrowser({ DISPLAY: ":0", SSH_CONNECTION: "x" }, "linux")).toBe(false);
    expect(hasBrowser({}, "linux")).toBe(false);
    expect(hasBrowser({}, "darwin")).toBe(true);
    expect(hasBrowser({ SSH_TTY: "x" }, "darwin")).toBe(false);
  });
});

describe("pasting", () => {
  const paste = async (line: string) => {
    const input = new PassThrough();
    const shown: string[] = [];
    const begun = await begin({ open: false, paste: input, show: (text) => shown.push(text) });
    input.write(`\n${line}\n`);
    return {
      response: new URLSearchParams(String(await begun.response).replace(/^[^?]*\?/, "")),
      shown: shown.join("\n"),
    };
  };

  test("the URL that the browser ended at, its query, or the code alone can be pasted", async () => {
    const whole = await paste("http://127.0.0.1:1/callback?code=c&state=the-right-state&iss=i");
    expect(Object.fromEntries(whole.response)).toEqual({ code: "c", state: "the-right-state", iss: "i" });
    expect(whole.shown).toContain("https://as.example/authorize");
    expect((await paste("?code=c&state=other")).response.get("state")).toBe("other");
    expect(Object.fromEntries((await paste("just-the-code")).response)).toEqual({
      code: "just-the-code",
      state: "the-right-state",
    });
  });

  test("an input that ends is a login that was given up", async () => {
    const input = new PassThrough();
    const { response } = await begin({ open: false, paste: input, show: () => {} });
    input.end();
    await expect(response).rejects.toMatchObject({ code: "LOGIN_CANCELLED" });
  });
});

describe("with a real authorization server", () => {
  const lab = async () => {
    const idp = await startProvider();
    cleanups.push(() => idp.close());
    const rs = await startProtectedServer({ providers: [idp] });
    cleanups.push(() => rs.close());
    return { idp, rs };
  };

  test("a browser on this machine logs in, and ends at a page without the code", async () => {
    const { idp, rs } = await lab();
    const ends: string[] = [];
    const open = async (url: URL): Promise<void> => {
      const back = await idp.logIn(url);
      const landed = await fetch(back);
      ends.push(landed.url, await landed.text());
    };
    const opened = (url: URL): void => void open(url);
    const client = await connect(rs.url, {
      auth: oauth({ login: loopbackLogin({ open: opened, path: "/callback" }) }),
    });
    cleanups.push(() => client.close());
    expect(textOf(await client.callTool("whoami"))).toBe("alice");
    await expect.poll(() => ends.length).toBe(2);
    expect(new URL(ends[0]!).pathname + new URL(ends[0]!).search).toBe("/callback/done");
  });

  test("a user on another machine logs in by pasting", async () => {
    const { idp, rs } = await lab();
    const input = new PassThrough();
    const show = (text: string): void => {
      const url = /https?:\/\/\S+authorize\S+|https?:\/\/\S+\/auth\?\S+/.exec(text)?.[0];
      if (url !== undefined) void idp.logIn(url).then((back) => input.write(`${back}\n`));
    };
    const client = await connect(rs.url, { auth: oauth({ login: pasteLogin({ input, show }) }) });
    cleanups.push(() => client.close());
    expect(textOf(await client.callTool("whoami"))).toBe("alice");
  });
});

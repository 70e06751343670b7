import { createServer, type AddressInfo } from "node:net";
import { AuthError, connect, textOf } from "@toolwire/client";
import { oauth, type LoginAttempt } from "@toolwire/client/auth";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startExample, type Example } from "../src/example.ts";
import { Browser, type Page } from "./browser.ts";

let example: Example;

beforeAll(async () => {
  // It warns that it keeps everything in memory, which is right for an example.
  for (const method of ["info", "warn"] as const) vi.spyOn(console, method).mockImplementation(() => {});
  const [mcp, authorization, company] = await Promise.all([freePort(), freePort(), freePort()]);
  example = await startExample({ mcp, authorization, company });
});

afterAll(() => example.close());

/** Logs in as somebody, and answers the question of the authorization server. */
function loginAs(user: string, decision: "allow" | "deny", seen: Page[] = []): LoginAttempt {
  const browser = new Browser();
  return {
    redirectUri: "http://127.0.0.1/done",
    async authorize(url) {
      let page = await browser.open(url);
      if (page.text.includes('name="login"')) {
        page = await browser.submit(page, { prompt: "login", login: user, password: "any" });
        page = await browser.submit(page, { prompt: "consent" });
      }
      seen.push(page);
      const { url: end } = await browser.submit(page, { decision });
      return end.searchParams;
    },
  };
}

describe("the example of a protected server", () => {
  it("lets a user in who has logged in at the company, and asks again before it writes", async () => {
    const seen: Page[] = [];
    const auth = oauth({ client: { name: "A <b>test</b>" }, login: loginAs("ada", "allow", seen) });
    await using client = await connect(example.url, { auth });
    expect(textOf(await client.callTool("list_notes"))).toBe("You have no notes.");
    expect(textOf(await client.callTool("add_note", { text: "first" }))).toBe("Noted.");
    expect(textOf(await client.callTool("list_notes"))).toBe("first");
    expect(seen.map(({ text }) => [text.includes("read your notes"), text.includes("write notes for you")])).toEqual([
      [true, false],
      [true, true],
    ]);
    // Programs name themselves.
    expect(seen[0]?.text).toContain("&#60;b&#62;test");
  });

  it("keeps the notes of users apart", async () => {
    const [ada, bob] = await Promise.all(
      ["eve", "bob"].map((user) =>
        connect(example.url, { auth: oauth({ client: { name: "test" }, login: loginAs(user, "allow") }) }),
      ),
    );
    await ada?.callTool("add_note", { text: "mine" });
    expect(textOf((await bob?.callTool("list_notes"))!)).toBe("You have no notes.");
    await Promise.all([ada?.close(), bob?.close()]);
  });

  it("tells a program that its user said no", async () => {
    const auth = oauth({ client: { name: "test" }, login: loginAs("ada", "deny") });
    const failure = await connect(example.url, { auth }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AuthError);
    expect((failure as AuthError).code).toBe("LOGIN_CANCELLED");
  });

  it("refuses to end a login in another browser than the one that began it", async () => {
    const silent = vi.spyOn(console, "error").mockImplementation(() => {});
    const victim = new Browser();
    let callback: URL | undefined;
    const auth = oauth({
      client: { name: "test" },
      login: {
        redirectUri: "http://127.0.0.1/done",
        async authorize(url) {
          const attacker = new Browser();
          let page = await attacker.open(url);
          page = await attacker.submit(page, { prompt: "login", login: "mallory", password: "any" });
          await attacker.submit(page, { prompt: "consent" });
          callback = attacker.visited.find(({ pathname }) => pathname === "/login/callback");
          throw new Error("given up");
        },
      },
    });
    await connect(example.url, { auth }).catch(() => undefined);
    expect(callback).toBeDefined();
    const page = await victim.open(callback!);
    expect([page.status, page.text.includes("log in again")]).toEqual([400, true]);
    silent.mockRestore();
  });

  it("refuses a decision that another site posts", async () => {
    let refused: Response | undefined;
    const auth = oauth({
      client: { name: "test" },
      login: {
        redirectUri: "http://127.0.0.1/done",
        async authorize(url) {
          const browser = new Browser();
          let page = await browser.open(url);
          page = await browser.submit(page, { prompt: "login", login: "ada", password: "any" });
          page = await browser.submit(page, { prompt: "consent" });
          const action = new URL(/action="([^"]+)"/.exec(page.text)?.[1] ?? "", page.url);
          const body = new URLSearchParams({ decision: "allow" });
          refused = await fetch(action, { method: "POST", body, headers: { origin: "https://evil.example" } });
          throw new Error("given up");
        },
      },
    });
    await connect(example.url, { auth }).catch(() => undefined);
    expect(refused?.status).toBe(403);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

import { describe, expect, test } from "vitest";
import { Browser, linkIn, type LoginLab, startLab } from "../logins/lab.ts";

async function linkOf({ local }: LoginLab, principal: string): Promise<string> {
  return linkIn((await local.call("work", "connect_notes", {}, await local.key({ principal }))).text);
}

async function isConnected({ local }: LoginLab, principal: string): Promise<boolean> {
  return (await local.gateway.storage.grants.list()).some((grant) => grant.principal === principal);
}

describe("logins-belong-to-who-began-them", () => {
  test("the page says which upstream and which gateway user are connected, and does nothing before the click", async () => {
    const lab = await startLab();
    const before = lab.provider.requests.length;
    const response = await new Browser().get(await linkOf(lab, 'ada"><script>alert(1)</script>'));
    const page = await response.text();
    expect(page).toContain(`notes (${new URL(lab.upstream.url).host})`);
    expect(page).toContain("ada&quot;&gt;&lt;script&gt;");
    expect(page).not.toContain("<script");
    expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Lax/);
    expect(
      lab.provider.requests.slice(before).filter(({ path }) => path !== "/reg" && path.startsWith("/auth")),
    ).toEqual([]);
  });

  test("a foreign page cannot send the form: without its token, from another origin, or without the cookie", async () => {
    const lab = await startLab();
    const link = await linkOf(lab, "ada");
    const browser = new Browser();
    const page = await (await browser.get(link)).text();
    const attempts = [
      browser.submit(link, page, { origin: "https://evil.example", "sec-fetch-site": "cross-site" }),
      browser.submit(link, page, { origin: "null" }),
      browser.submit(link, page, { "sec-fetch-site": "cross-site" }),
      browser.submit(link, page.replace(/name="csrf" value="[^"]*"/, 'name="csrf" value="x"')),
      new Browser().submit(link, page),
    ];
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    // The link is still that of the user.
    expect(await browser.connect(link, lab.provider)).toContain("Connected");
  });

  test("an attacker who has begun a login cannot have a victim end it: the browser is another one", async () => {
    const lab = await startLab();
    const attacker = new Browser();
    const page = await attacker.agree(await linkOf(lab, "mallory"));
    // The victim is lured to the authorization server by the URL of the attacker's login, and sent back to the gateway.
    const back = await lab.provider.logIn(page, "victim");
    const victim = new Browser();
    for (const each of [victim, new Browser()]) {
      const response = await each.get(back);
      expect(response.status).toBe(403);
      expect(await response.text()).toContain("another browser");
    }
    expect(await isConnected(lab, "mallory")).toBe(false);
    // Nor does a cookie of a login of the victim's own help.
    await victim.agree(await linkOf(lab, "victor"));
    expect((await victim.get(back)).status).toBe(403);
    expect(await isConnected(lab, "mallory")).toBe(false);
  });

  test("the response to an attacker's login cannot be put into a victim's login", async () => {
    const lab = await startLab();
    const victim = new Browser();
    const own = await victim.agree(await linkOf(lab, "victor"));
    const attacker = new Browser();
    const injected = new URL(await lab.provider.logIn(await attacker.agree(await linkOf(lab, "mallory")), "mallory"));
    injected.searchParams.set("state", new URL(own).searchParams.get("state") ?? "");
    const response = await victim.get(injected.href);
    expect(response.status).toBe(400);
    expect(await isConnected(lab, "victor")).toBe(false);
  });

  test("a link works once, and the response to a login works once", async () => {
    const lab = await startLab();
    const link = await linkOf(lab, "ada");
    const browser = new Browser();
    const page = await (await browser.get(link)).text();
    const [first, second] = await Promise.all([browser.submit(link, page), browser.submit(link, page)]);
    expect([first.status, second.status].toSorted((one, other) => one - other)).toEqual([303, 404]);
    const start = first.headers.get("location") ?? second.headers.get("location") ?? "";
    const back = await lab.provider.logIn(start);
    const ends = await Promise.all([browser.get(back), browser.get(back), browser.get(back)]);
    expect(ends.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([303, 404, 404]);
    expect(ends.find(({ status }) => status === 303)?.headers.get("location")).toMatch(/\/connect\/done$/);
    expect((await browser.get(link)).status).toBe(404);
  });

  test("a link is for one upstream of one server, and unknown tickets and states tell nothing", async () => {
    const lab = await startLab();
    const link = new URL(await linkOf(lab, "ada"));
    const browser = new Browser();
    const statusOf = async (path: string): Promise<number> => (await browser.get(`${link.origin}${path}`)).status;
    expect(await statusOf(`/connect/other/notes${link.search}`)).toBe(404);
    expect(await statusOf(`/connect/work/other${link.search}`)).toBe(404);
    expect(await statusOf(`/connect/work/notes?ticket=${"x".repeat(43)}`)).toBe(404);
    expect(await statusOf("/connect/work/%E0%A4%A")).toBe(404);
    expect(await statusOf("/connect/callback?code=x&state=y")).toBe(404);
    expect(await statusOf("/connect/callback?code=x")).toBe(404);
  });

  test("a link that is older than ten minutes is of no use, and only the newest few of a user are kept", async () => {
    const lab = await startLab();
    const { pendingLogins } = lab.local.gateway.storage;
    const owner = { server: "work", upstream: "notes", principal: "ada" };
    await pendingLogins.put("link old", owner, JSON.stringify(owner), Date.now() - 1);
    expect(await pendingLogins.read("link old")).toBeUndefined();
    expect(await pendingLogins.take("link old")).toBeUndefined();
    const first = await linkOf(lab, "ada");
    const other = await linkOf(lab, "bob");
    for (let count = 0; count < 10; count += 1) await linkOf(lab, "ada");
    expect((await new Browser().get(first)).status).toBe(404);
    expect((await new Browser().get(other)).status).toBe(200);
  });

  test("the pages are served under the public name alone, and no address leads away from the gateway", async () => {
    const lab = await startLab();
    const link = new URL(await linkOf(lab, "ada"));
    const rebound = await new Browser().get(link.href.replace("127.0.0.1", "localhost"));
    expect(rebound.status).toBe(421);
    const redirecting = await new Browser().get(`${link.href}&redirect_uri=https://evil.example&next=//evil.example`);
    expect(await redirecting.text()).not.toContain("evil.example");
    const start = new URL(await new Browser().agree(`${link.href}&redirect_uri=https://evil.example`));
    expect(start.origin).toBe(lab.provider.issuer);
    expect(start.searchParams.get("redirect_uri")).toBe(`${link.origin}/connect/callback`);
    expect(start.searchParams.get("code_challenge_method")).toBe("S256");
  });
});

import { connect } from "@toolwire/client";
import { describe, expect, test } from "vitest";
import { Browser, linkIn, startLab } from "./lab.ts";

describe("An upstream at which each caller logs in", () => {
  test("offers callers who have not logged in one tool, whose link leads to the login, and lists its tools afterwards", async () => {
    const { local, provider, upstream } = await startLab();
    const ada = await local.key({ principal: "ada" });
    expect(await local.list("work", ada)).toEqual(["connect_notes"]);
    const answer = await local.call("work", "connect_notes", {}, ada);
    expect(answer).toMatchObject({ status: 200, isError: true });
    expect(await new Browser().connect(linkIn(answer.text), provider, "ada-at-notes")).toContain("Connected");
    await expect.poll(() => local.list("work", ada)).toEqual(["whoami", "write", "admin"]);
    expect(await local.call("work", "whoami", {}, ada)).toMatchObject({ text: "ada-at-notes" });
    expect(upstream.seen.some(({ authorization }) => authorization?.includes("twk_"))).toBe(false);
  });

  test("gives each caller the account with which they logged in, and nobody else's", async () => {
    const { local, provider } = await startLab();
    const keys = {
      ada: await local.key({ principal: "ada" }),
      bob: await local.key({ principal: "bob" }),
      eve: await local.key({ principal: "eve" }),
    };
    for (const name of ["ada", "bob"] as const) {
      const { text } = await local.call("work", "connect_notes", {}, keys[name]);
      await new Browser().connect(linkIn(text), provider, `${name}-at-notes`);
      await expect.poll(() => local.list("work", keys[name])).toContain("whoami");
    }
    const calls = [keys.ada, keys.bob, keys.ada].map((key) => local.call("work", "whoami", {}, key));
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual([
      "ada-at-notes",
      "bob-at-notes",
      "ada-at-notes",
    ]);
    expect(await local.list("work", keys.eve)).toEqual(["connect_notes"]);
    expect((await local.call("work", "whoami", {}, keys.eve)).error).toMatchObject({ code: -32_602 });
    // The gateway is one client of the authorization server, however many callers it has.
    expect(provider.requests.filter(({ path }) => path === "/reg")).toHaveLength(1);
  });

  test.each(["modern", "legacy"] as const)(
    "asks a %s client to show the page, and goes on with the call when the login is done",
    async (era) => {
      const { local, provider } = await startLab();
      const headers = await local.key({ principal: "ada" });
      const shown: string[] = [];
      const client = await connect(`${local.gateway.url}/mcp/work`, {
        era,
        http: { headers },
        elicitation: {
          url: ({ url }) => {
            shown.push(url);
            void new Browser().connect(url, provider, "ada-at-notes");
            return { action: "accept" };
          },
        },
      });
      try {
        const result = await client.callTool("connect_notes", {});
        expect(result.isError ?? false, JSON.stringify(result)).toBe(false);
        expect(shown).toHaveLength(1);
        const answer = await client.callTool("whoami", {});
        expect(answer.content).toEqual([{ type: "text", text: "ada-at-notes" }]);
      } finally {
        await client.close();
      }
    },
  );

  test("tells the model if the caller does not want to log in", async () => {
    const { local } = await startLab();
    const client = await connect(`${local.gateway.url}/mcp/work`, {
      http: { headers: await local.key({ principal: "ada" }) },
      elicitation: { url: () => ({ action: "decline" }) },
    });
    try {
      const { isError, content } = await client.callTool("connect_notes", {});
      expect({ isError, text: JSON.stringify(content) }).toMatchObject({
        isError: true,
        text: expect.stringContaining("does not want") as string,
      });
    } finally {
      await client.close();
    }
  });

  test("asks for another login if a tool needs scopes that the first did not get", async () => {
    const { local, provider } = await startLab({ server: { toolScopes: { write: ["mcp:write"] } } });
    const ada = await local.key({ principal: "ada" });
    const browser = new Browser();
    await browser.connect(linkIn((await local.call("work", "connect_notes", {}, ada)).text), provider);
    await expect.poll(() => local.list("work", ada)).toContain("write");
    const refused = await local.call("work", "write", {}, ada);
    expect(refused.isError).toBe(true);
    const page = await browser.agree(linkIn(refused.text));
    expect(new URL(page).searchParams.get("scope")?.split(" ")).toEqual(
      expect.arrayContaining(["mcp:basic", "mcp:write"]),
    );
    await browser.get(await provider.logIn(page));
    expect(await local.call("work", "write", {}, ada)).toMatchObject({ text: "written" });
  });

  test("renews tokens without the caller", async () => {
    const { local, provider } = await startLab({ provider: { lifetime: 2 } });
    const ada = await local.key({ principal: "ada" });
    await new Browser().connect(linkIn((await local.call("work", "connect_notes", {}, ada)).text), provider);
    await expect.poll(() => local.list("work", ada)).toContain("whoami");
    await expect
      .poll(
        async () => {
          expect(await local.call("work", "whoami", {}, ada)).toMatchObject({ text: "alice" });
          return provider.tokenRequests("refresh_token").length;
        },
        { timeout: 10_000, interval: 200 },
      )
      .toBeGreaterThan(0);
  });

  test("is told apart from others by its own login: another server with the same upstream asks for one of its own", async () => {
    const { local, upstream, provider } = await startLab({
      more: {},
      upstream: ({ upstream: { url } }) => ({ url, auth: { oauth: {} } }),
    });
    await local.gateway.putServer(
      "other",
      { auth: { apiKeys: true }, upstreams: { notes: { url: upstream.url, auth: { oauth: {} } } } },
      0,
    );
    const ada = await local.key({ principal: "ada" });
    await new Browser().connect(linkIn((await local.call("work", "connect_notes", {}, ada)).text), provider);
    await expect.poll(() => local.list("work", ada)).toContain("whoami");
    expect(await local.list("other", ada)).toEqual(["connect_notes"]);
  });
});

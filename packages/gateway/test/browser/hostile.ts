/** The threat `dashboard-shows-text-as-text`: names, descriptions and errors that try to become markup or scripts. */
import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { CallRecord } from "../../src/log/call-record.ts";
import { NOW, seedCalls } from "../admin/fixture/seeded-calls.ts";
import { SERVERS, type SeededServer } from "../admin/fixture/seeded-servers.ts";
import { openTab } from "./tab.ts";
import { servePage, TOKEN } from "./fixture.ts";
import { findOverflow } from "./inspect.ts";
import { expectNone, expectSame, type Run } from "../../../../test/browser/run.ts";
import { seen } from "./seen.ts";

const MARKUP = `<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>`;
const LINK = `javascript:globalThis.hacked=1`;
const LONG = "x".repeat(400);
const ODD = `"'\`\${1+1}{{7*7}}<svg/onload=globalThis.hacked=1>\u202Eevil\u0000`;
const PATH = `../../api/v1/session?x=<b>#%2e%2e`;

/** A server, its tools and its calls as the worst upstream would name them. */
function hostileData(): { readonly calls: readonly CallRecord[]; readonly servers: readonly SeededServer[] } {
  const [first] = SERVERS;
  if (first === undefined) throw new Error("the fixture has no servers");
  const names = [MARKUP, LINK, ODD, PATH, "__proto__", LONG];
  const servers: readonly SeededServer[] = [
    {
      ...first,
      slug: "hostile",
      config: { title: MARKUP, description: ODD },
      problems: [MARKUP],
      credentials: [{ name: MARKUP, kind: ODD, isSet: false, perUser: false }],
      upstreams: [
        {
          name: MARKUP,
          kind: "http",
          state: "failed",
          tools: 1,
          connections: 0,
          serverInfo: { name: MARKUP, version: ODD },
          error: MARKUP,
          changedTools: names,
          problems: [MARKUP],
        },
      ],
      tools: names.map((name) => ({
        name,
        title: MARKUP,
        description: `${MARKUP} ${LONG}`,
        source: "mcp",
        input: {
          type: "object",
          properties: {
            [MARKUP]: { type: "string", description: MARKUP, enum: [MARKUP, LINK] },
            [ODD]: { type: "object", title: MARKUP },
          },
        },
      })),
    },
  ];
  const made: SeededServer = {
    slug: "made",
    isFromFile: false,
    config: {
      title: MARKUP,
      tools: {
        [MARKUP]: {
          title: MARKUP,
          description: ODD,
          request: { method: "GET", url: LINK, headers: { [MARKUP]: ODD } },
          input: { type: "object", properties: { [MARKUP]: { type: "string", description: MARKUP } } },
        },
      },
      upstreams: { [MARKUP]: { url: LINK, headers: { [MARKUP]: ODD }, prefix: MARKUP } },
    },
    credentials: [{ name: MARKUP, kind: ODD, isSet: false, perUser: false }],
    tools: [{ name: MARKUP, description: ODD, source: "http", input: { type: "object" } }],
    problems: [`${MARKUP}\n${LONG}`],
  };
  const calls = seedCalls(40).map((call, index): CallRecord => {
    const text = names[index % names.length] ?? MARKUP;
    return {
      ...call,
      at: NOW - 60_000 - index * 1000,
      server: "hostile",
      tool: text.slice(0, 128),
      outcome: "tool-error",
      error: text.slice(0, 300),
      principal: text,
      clientName: text,
      userAgent: MARKUP,
      capture: { arguments: MARKUP, response: MARKUP },
    };
  });
  return { calls, servers: [...servers, made] };
}

/** Goes through all views with hostile data: texts are texts, and nothing runs. */
export async function checkHostileTexts(run: Run, browser: Browser, pictures: string): Promise<void> {
  const data = hostileData();
  const { listener, gateway } = await servePage(data);
  console.log("hostile texts");
  for (const width of [1440, 360]) {
    const tab = await openTab(browser, listener.url, { theme: "light", width }, NOW);
    const { page } = tab;
    await page.goto(listener.url);
    await page.getByLabel("Admin token").fill(TOKEN);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await gateway.storage.keys.create({ name: MARKUP, servers: [] });
    const call = data.calls[0];
    const views = [
      ["/", "Last errors"],
      [`/?server=${encodeURIComponent(MARKUP)}`, "Last errors"],
      ["/calls", MARKUP],
      [`/calls?client=${encodeURIComponent(MARKUP)}&tool=${encodeURIComponent(ODD)}`, "No call fits these filters."],
      [`/calls/${call?.id ?? ""}`, MARKUP],
      [`/calls/${encodeURIComponent(MARKUP)}`, "There is no call of this id."],
      ["/servers", MARKUP],
      ["/servers/hostile", MARKUP],
      [`/servers/hostile/tools/${encodeURIComponent(MARKUP)}`, MARKUP],
      [`/servers/hostile/tools/${encodeURIComponent(PATH)}`, MARKUP],
      ["/servers/made", MARKUP],
      [`/servers/made/tools/${encodeURIComponent(MARKUP)}/edit`, `Edit ${MARKUP}`],
      [`/servers/made/upstreams/${encodeURIComponent(MARKUP)}/edit`, `Edit ${MARKUP}`],
      ["/servers/made/tools/none/edit", "made defines no tool none by hand."],
      [`/add/tool?server=${encodeURIComponent(MARKUP)}`, "A tool by hand"],
      ["/add/mcp?server=made", "Another MCP server"],
      ["/upstreams", MARKUP],
      ["/credentials", MARKUP],
      ["/keys", MARKUP],
      ["/health", MARKUP],
      [`/${encodeURIComponent("<b>bold</b>")}`, "There is no view at this address"],
    ] as const;
    for (const [path, text] of views) {
      await run.check(`dashboard-shows-text-as-text: ${path.slice(0, 50)} at ${width} px`, async () => {
        await page.goto(`${listener.url}${path}`);
        await seen(page, text).waitFor();
        const hacked = await page.evaluate(() => Object.hasOwn(globalThis, "hacked"));
        expectSame(hacked, false);
        const elements = await page.evaluate(
          () => document.querySelectorAll("img, iframe, object, embed, svg[onload], #app script").length,
        );
        expectSame(elements, 0);
        const links = await page.evaluate(() =>
          [...document.querySelectorAll("a")]
            .filter((link) => !/^(?:https?:)?$/.test(link.protocol))
            .map((link) => link.href),
        );
        expectNone("links that are no pages", links);
        const elsewhere = await page.evaluate(() =>
          [...document.querySelectorAll("a")]
            .filter((link) => link.origin !== location.origin)
            .map((link) => link.href),
        );
        expectNone("links to elsewhere", elsewhere);
        expectNone("overflow", await findOverflow(page));
        expectNone(
          "complaints",
          // A call that does not exist is a 404, which the browser prints.
          tab.complaints.splice(0).filter((each) => !each.includes("404")),
        );
      });
    }
    await page.goto(`${listener.url}/calls`);
    await seen(page, MARKUP).waitFor();
    await page.screenshot({ path: join(pictures, `hostile-light-${width}.png`) });
    await tab.close();
  }
  await listener.close();
}

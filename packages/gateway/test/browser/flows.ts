/** What people do on the page, from the first click to the last. */
import { isDeepStrictEqual } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import { createCallId } from "../../src/log/call-id.ts";
import type { FakeGateway } from "../admin/fixture/fake-gateway.ts";
import { NOW } from "../admin/fixture/seeded-calls.ts";
import { openTab } from "./tab.ts";
import { servePage, TOKEN } from "./fixture.ts";
import { expectNone, expectSame, type Run } from "../../../../test/browser/run.ts";

interface Flow {
  readonly page: Page;
  readonly gateway: FakeGateway;
  readonly url: string;
}

const FLOWS: readonly (readonly [string, (flow: Flow) => Promise<void>])[] = [
  ["a wrong token is refused beside the field, and the right one lets in", logInWrongly],
  ["every filter is in the URL, and the URL brings it back", filterCalls],
  ["dragging across a chart chooses a time span, which can be left again", zoomChart],
  ["the arrow keys read a chart out", readChart],
  ["a live list shows calls as they come", followCalls],
  ["older calls are added below", showOlder],
  ["a form makes the arguments of a call, and the result links to it", tryTool],
  ["a failed call can be tried again with its arguments", tryAgain],
  ["a document becomes a server, and its tools can be tried", importDocument],
  ["a tool is made by hand on a new server, changed, tried and removed", makeTool],
  ["another MCP server is added, and its token is sealed and never shown", addUpstream],
  ["a program needs the word of the configuration file", addProgram],
  ["a key is made on the spot for one server, is in the text that is copied, and is revoked there", connect],
  ["the arrow keys go through the applications", walkTabs],
  ["the chosen time span comes along to other views, and the fitting one gives way to it", keepSpan],
  ["the log of a broken upstream is one line until it is opened", openProblem],
  ["a server is activated, and removed after a question", changeServer],
  ["changed tools of an upstream are accepted", acceptChanges],
  ["a login at an upstream is ended after a question, and another one is begun by a link", endLogin],
  ["a secret is set in a dialog that keeps the focus, and never shown", setSecret],
  ["a key is shown once, and revoked", makeKey],
  ["the colours are switched and remembered", switchTheme],
  ["the narrow menu opens, leads elsewhere and closes", useMenu],
  ["a session that has ended asks for the token again", losesSession],
  ["logging out leaves nothing behind", logOut],
];

/** Goes through all flows, each on a gateway of its own. */
export async function checkFlows(run: Run, browser: Browser): Promise<void> {
  console.log("flows");
  for (const [name, flow] of FLOWS) {
    const { gateway, listener } = await servePage();
    const width = flow === useMenu ? 360 : 1440;
    const tab = await openTab(browser, listener.url, { theme: "light", width }, NOW);
    await run.check(name, async () => {
      await tab.page.goto(listener.url);
      if (flow !== logInWrongly) await logIn(tab.page);
      await flow({ page: tab.page, gateway, url: listener.url });
      // Refusals are part of some flows, and the browser prints their status.
      expectNone(
        "complaints",
        tab.complaints.filter((each) => !/status of 4\d\d/.test(each)),
      );
    });
    await tab.close();
    await listener.close();
  }
}

/** Expects something as soon as the page has drawn it: effects run after a click has been handled. */
async function expectSoon<T>(page: Page, read: () => Promise<T>, expected: T): Promise<void> {
  for (let frame = 0; frame < 200; frame += 1) {
    if (isDeepStrictEqual(await read(), expected)) return;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  expectSame(await read(), expected);
}

async function logIn(page: Page): Promise<void> {
  await page.getByLabel("Admin token").fill(TOKEN);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

async function logInWrongly({ page }: Flow): Promise<void> {
  await page.getByLabel("Admin token").fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByText("This is not the admin token: that is").waitFor();
  await expectSoon(page, () => page.getByLabel("Admin token").getAttribute("aria-invalid"), "true");
  await logIn(page);
  expectSame(await page.evaluate(() => document.cookie), "");
  expectSame(await page.evaluate(() => JSON.stringify(localStorage)), "{}");
}

async function filterCalls({ page, url }: Flow): Promise<void> {
  await page.getByRole("link", { name: "Calls", exact: true }).click();
  await page.getByRole("combobox", { name: "Server" }).selectOption("payments");
  await page.getByRole("combobox", { name: "Outcome" }).selectOption("tool-error");
  await page.getByLabel("Tool", { exact: true }).fill("create_payment_intent");
  await page.keyboard.press("Enter");
  await page.getByLabel("Principal").fill("key_analytics");
  await page.keyboard.press("Enter");
  await page.getByRole("radio", { name: "The last 7 days" }).check();
  await page.waitForURL(/principal=key_analytics.*last=7d/);
  const query = new URL(page.url()).search;
  await page.waitForFunction(() =>
    [...document.querySelectorAll("tbody tr")].every((row) => row.textContent?.includes("key_analytics")),
  );
  const shown = await page.locator("tbody tr").count();
  await page.goto("about:blank");
  await page.goto(`${url}/calls${query}`);
  await page
    .locator("tbody tr")
    .nth(shown - 1)
    .waitFor();
  await expectSoon(page, () => page.locator("tbody tr").count(), shown);
  await expectSoon(page, () => page.getByLabel("Principal").inputValue(), "key_analytics");
  const outcomes = new Set(await page.locator(".badge-outcome").allTextContents());
  expectSame([...outcomes], ["!Tool error"]);
}

async function zoomChart({ page }: Flow): Promise<void> {
  const chart = page.locator(".u-over").first();
  const box = await chart.boundingBox();
  if (box === null) throw new Error("the chart is not drawn");
  await page.mouse.move(box.x + box.width * 0.7, box.y + 60);
  await page.locator(".chart-box").first().waitFor();
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/from=\d+&to=\d+/);
  await page.getByText("Calls of the chosen time").waitFor();
  await page.getByRole("button", { name: "Leave the chosen time" }).click();
  await page.getByText("Calls of the last 24 hours").waitFor();
}

async function readChart({ page }: Flow): Promise<void> {
  await page.getByRole("img", { name: /^Calls over time/ }).focus();
  await page.keyboard.press("ArrowLeft");
  const region = page.locator(".chart [aria-live]").first();
  await page.waitForFunction(
    () => document.querySelector(".chart [aria-live]")?.textContent?.includes("Calls") === true,
  );
  const last = await region.textContent();
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction((before) => document.querySelector(".chart [aria-live]")?.textContent !== before, last);
  await page.getByText("Show as a table").first().click();
  await expectSoon(page, () => page.locator(".chart table").first().locator("tbody tr").count(), 96);
}

async function followCalls({ page, gateway }: Flow): Promise<void> {
  await page.getByRole("link", { name: "Calls", exact: true }).click();
  await page.getByRole("switch", { name: "Live" }).click();
  await page.getByText("Live: 0 new calls").waitFor();
  const [example] = gateway.calls;
  if (example === undefined) throw new Error("the fixture has no calls");
  gateway.storage.calls.add({ ...example, id: createCallId(NOW), at: NOW, tool: "just_now" });
  await page.getByRole("link", { name: "just_now" }).waitFor();
  await page.getByText("Live: 1 new call").waitFor();
  // The browser was told that its user wants no motion.
  const track = page.locator(".switch-track");
  expectSame(await track.evaluate((element) => getComputedStyle(element).transitionDuration), "0s");
  expectSame(new URL(page.url()).search, "?live=true");
}

async function showOlder({ page }: Flow): Promise<void> {
  await page.getByRole("link", { name: "Calls", exact: true }).click();
  await page.getByRole("button", { name: "Show older calls" }).click();
  await page.locator("tbody tr").nth(99).waitFor();
  await expectSoon(page, () => page.locator("tbody tr").count(), 100);
}

async function tryTool({ page, url }: Flow): Promise<void> {
  await page.goto(`${url}/servers/payments/tools/create_payment_intent`);
  await page.getByRole("button", { name: "Call the tool" }).click();
  // The focus goes to the first field that is wrong.
  await expectSoon(page, () => page.evaluate(() => document.activeElement?.getAttribute("aria-invalid")), "true");
  await page.getByRole("textbox", { name: "amount" }).fill("4200");
  await page.getByRole("combobox", { name: "currency" }).selectOption({ label: "eur" });
  await page.getByRole("combobox", { name: "capture" }).selectOption({ label: "false" });
  await page.getByRole("button", { name: "Add to payment_method_types" }).click();
  await page.getByRole("combobox", { name: "payment_method_types 1" }).selectOption({ label: "card" });
  await page.getByRole("button", { name: "Add shipping" }).click();
  await page.getByRole("textbox", { name: "name" }).fill("Ada");
  await page.getByRole("combobox", { name: "Form of confirmation" }).selectOption({ label: "By amount" });
  await page.getByRole("textbox", { name: "amount" }).last().fill("1.5");
  await page.getByRole("textbox", { name: "metadata" }).fill('{"order":"7"}');
  await page.getByRole("button", { name: "Call the tool" }).click();
  const block = page.getByRole("region", { name: "Block 1" });
  await block.waitFor();
  expectSame(JSON.parse((await block.textContent()) ?? "").echo, {
    amount: 4200,
    currency: "eur",
    capture: false,
    payment_method_types: ["card"],
    shipping: { name: "Ada" },
    confirmation: { amount: 1.5 },
    metadata: { order: "7" },
  });
  await page.getByRole("link", { name: "See the call" }).click();
  await page.getByRole("heading", { name: "Time line" }).waitFor();
}

async function tryAgain({ page, gateway, url }: Flow): Promise<void> {
  const failed = gateway.calls.findLast(
    ({ httpStatus, tool }) => httpStatus === 402 && tool === "create_payment_intent",
  );
  await page.goto(`${url}/calls/${failed?.id ?? ""}`);
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByText("The arguments are those of the earlier call, without secrets.").waitFor();
  await expectSoon(page, () => page.getByRole("textbox", { name: "amount" }).inputValue(), "4200");
  // An argument that the form does not know is refused by the validator, and can be taken out as JSON.
  await page.getByRole("button", { name: "Call the tool" }).click();
  await page.getByRole("alert").filter({ hasText: "card" }).waitFor();
  await page.getByText("JSON", { exact: true }).first().click();
  await page.getByRole("textbox", { name: "Arguments" }).fill('{"amount":4200,"currency":"eur"}');
  await page.getByRole("button", { name: "Call the tool" }).click();
  await page.getByRole("region", { name: "Block 1" }).waitFor();
}

async function importDocument({ page, gateway }: Flow): Promise<void> {
  await page.getByRole("link", { name: "Add", exact: true }).click();
  await page.getByRole("link", { name: "An API with an OpenAPI document" }).click();
  await page.getByRole("textbox", { name: "Slug" }).fill("pets");
  await page.getByRole("textbox", { name: "Document" }).fill("{");
  await page.getByRole("button", { name: "Read the document" }).click();
  await page.getByRole("alert").filter({ hasText: "The OpenAPI document cannot be read." }).waitFor();
  await page.getByText("From a URL").click();
  await page.getByRole("textbox", { name: "URL" }).fill("https://specs.example/pets.json");
  await page.getByRole("button", { name: "Read the document" }).click();
  await page.getByRole("checkbox", { name: /GET \/pets\/\{id\}/ }).uncheck();
  await page.getByText("2 tools chosen").waitFor();
  await page.getByRole("searchbox", { name: "Find" }).fill("adds");
  await expectSoon(page, () => page.locator("tbody tr").count(), 1);
  await page.getByRole("button", { name: "Make a server of 2 tools" }).click();
  await page.getByRole("heading", { name: "Pet shop" }).waitFor();
  expectSame(gateway.server("pets")?.status, "draft");
  await page.getByRole("link", { name: "add_pet" }).click();
  await page.getByRole("button", { name: "Call the tool" }).click();
  await page.getByRole("region", { name: "Block 1" }).waitFor();
}

async function changeServer({ page, gateway, url }: Flow): Promise<void> {
  await page.goto(`${url}/servers/crm`);
  await page.getByRole("combobox", { name: "Status" }).selectOption("active");
  await page.getByRole("status").filter({ hasText: "crm is active now." }).waitFor();
  expectSame(gateway.server("crm")?.status, "active");
  await page.getByText("revision 2").waitFor();
  const remove = page.getByRole("button", { name: "Remove", exact: true });
  await remove.click();
  await page.getByRole("dialog", { name: "Remove crm?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await expectSoon(page, () => page.evaluate(() => document.activeElement?.textContent?.trim()), "Remove");
  await remove.click();
  await page.getByRole("button", { name: "Remove the server" }).click();
  await page.waitForURL(`${url}/servers`);
  expectSame(gateway.server("crm"), undefined);
}

async function acceptChanges({ page, url }: Flow): Promise<void> {
  await page.goto(`${url}/upstreams`);
  await page.getByRole("button", { name: "Accept the changes" }).click();
  await page.getByRole("button", { name: "Accept the changes" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Restart live" }).click();
  await page.getByText("connection refused").first().waitFor({ state: "detached" });
}

async function endLogin({ page, gateway, url }: Flow): Promise<void> {
  await page.goto(`${url}/upstreams`);
  await page.getByRole("button", { name: "Disconnect ada@example.com" }).click();
  await page.getByRole("dialog", { name: "End this login?" }).getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("Each caller logs in. 1 caller logged in.").waitFor();
  const left = await gateway.storage.grants.list({ server: "everything", upstream: "live" });
  expectSame(
    left.map(({ principal }) => principal),
    ["key_mobile_app"],
  );
  await page.getByRole("button", { name: "Log in at docs" }).click();
  const link = page.getByRole("link", { name: "Open the page on which you log in" });
  await link.waitFor();
  expectSame(await link.getAttribute("rel"), "noreferrer");
}

async function setSecret({ page, gateway, url }: Flow): Promise<void> {
  await page.goto(`${url}/credentials`);
  await page.getByRole("button", { name: "Set payments-connect" }).click();
  const dialog = page.getByRole("dialog", { name: "Set a secret" });
  await dialog.waitFor();
  // The focus stays inside, however often Tab is pressed; the browser's own controls come in between.
  for (let count = 0; count < 12; count += 1) {
    await page.keyboard.press("Tab");
    const isInside = await page.evaluate(
      () => document.activeElement === document.body || document.activeElement?.closest("dialog") !== null,
    );
    expectSame(isInside, true);
  }
  await dialog.getByLabel("Value").fill("a-value-that-nobody-sees");
  await page.keyboard.press("Enter");
  await page.getByRole("status").filter({ hasText: "payments-connect is set." }).waitFor();
  expectSame(gateway.storage.secrets.get("payments-connect")?.reveal(), "a-value-that-nobody-sees");
  expectSame((await page.content()).includes("a-value-that-nobody-sees"), false);
  await expectSoon(
    page,
    () => page.evaluate(() => document.activeElement?.textContent?.trim()),
    "Set payments-connect",
  );
}

async function makeKey({ page, gateway, url }: Flow): Promise<void> {
  await page.goto(`${url}/keys`);
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.getByLabel("Name").fill("Night shift");
  await page.getByRole("checkbox", { name: "Weather" }).check();
  await page.getByRole("button", { name: "Make the key" }).click();
  const secret = (await page.locator(".secret code").textContent()) ?? "";
  expectSame(gateway.storage.keys.find(secret)?.name, "Night shift");
  await page.getByRole("button", { name: "Copy the key" }).click();
  expectSame(await page.evaluate(() => navigator.clipboard.readText()), secret);
  await page.getByRole("button", { name: "I have it" }).click();
  await page.getByRole("button", { name: "Revoke Night shift" }).waitFor();
  expectSame((await page.content()).includes(secret), false);
  await page.getByRole("button", { name: "Revoke Night shift" }).click();
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await page.getByRole("button", { name: "Revoke Night shift" }).waitFor({ state: "detached" });
  expectSame(gateway.storage.keys.find(secret), undefined);
}

async function switchTheme({ page }: Flow): Promise<void> {
  const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("radio", { name: "Dark" }).check();
  const dark = await ground();
  expectSame(light === dark, false);
  await page.reload();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  expectSame(await ground(), dark);
  await page.getByRole("radio", { name: "As the system" }).check();
  expectSame(await ground(), light);
}

async function useMenu({ page }: Flow): Promise<void> {
  const button = page.getByRole("button", { name: "Menu" });
  expectSame(await button.getAttribute("aria-expanded"), "false");
  await button.click();
  expectSame(await button.getAttribute("aria-expanded"), "true");
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("heading", { name: "Keys" }).first().waitFor();
  expectSame(await button.getAttribute("aria-expanded"), "false");
  // As after a change of the page, the focus is at its heading.
  await expectSoon(page, () => page.evaluate(() => document.activeElement?.tagName), "H1");
}

async function losesSession({ page }: Flow): Promise<void> {
  const token = page.getByLabel("Admin token");
  const link = page.getByRole("link", { name: "Keys", exact: true });
  await page.context().clearCookies();
  // The page asks for news now and then, and may notice the end of the session before the click leads to a request.
  await link.or(token).first().click();
  await token.fill(TOKEN);
  await page.keyboard.press("Enter");
  // It goes on where it was.
  const heading = (name: string): Locator => page.getByRole("heading", { name, exact: true });
  await heading("Keys").or(heading("Overview")).first().waitFor();
}

async function logOut({ page, url }: Flow): Promise<void> {
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("Admin token").waitFor();
  expectSame(await page.context().cookies(), []);
  await page.goto(`${url}/keys`);
  await page.getByLabel("Admin token").waitFor();
}

async function makeTool({ page, gateway, url }: Flow): Promise<void> {
  await page.goto(`${url}/servers`);
  await page.getByRole("link", { name: "Add a server" }).click();
  await page.getByRole("link", { name: "A tool by hand" }).click();
  await page.getByRole("textbox", { name: "Slug" }).fill("notes");
  await page.getByRole("textbox", { name: "Name", exact: false }).last().fill("list_notes");
  await page.getByRole("textbox", { name: "Description" }).fill("Lists notes");
  await page.getByRole("textbox", { name: "URL" }).fill("notes.example/{folder}");
  await page.getByRole("button", { name: "Add the tool" }).click();
  // What the gateway says is at the field, and nothing was written.
  await page.getByText("This is not a URL to call.").first().waitFor();
  await expectSoon(page, () => page.getByRole("textbox", { name: "URL" }).getAttribute("aria-invalid"), "true");
  expectSame(gateway.server("notes"), undefined);
  await page.getByRole("textbox", { name: "URL" }).fill("https://notes.example/{folder}");
  await page.getByRole("button", { name: "Add the tool" }).click();
  await page.waitForURL(`${url}/servers/notes`);
  const input = { type: "object", properties: { folder: { type: "string" } }, required: ["folder"] };
  const request = { method: "GET", url: "https://notes.example/{folder}" };
  expectSame(gateway.server("notes")?.config.tools, { list_notes: { description: "Lists notes", request, input } });

  await page.getByRole("link", { name: "Edit list_notes" }).click();
  await page.getByRole("textbox", { name: "Description" }).first().fill("Lists the notes of a folder");
  await page.getByRole("textbox", { name: "Select from the response" }).fill("items");
  await page.getByRole("button", { name: "Save the tool" }).click();
  await page.waitForURL(`${url}/servers/notes`);
  await page.getByText("Lists the notes of a folder").first().waitFor();
  expectSame(gateway.server("notes")?.config.tools?.["list_notes"]?.response, { select: "items" });

  await page.getByRole("link", { name: "list_notes", exact: true }).click();
  await page.getByRole("textbox", { name: "folder" }).fill("inbox");
  await page.getByRole("button", { name: "Call the tool" }).click();
  await page.getByRole("region", { name: "Block 1" }).waitFor();
  await page.goto(`${url}/servers/notes`);
  await page.getByRole("button", { name: "Remove list_notes" }).click();
  await page.getByRole("button", { name: "Remove the tool" }).click();
  await page.getByText("This server has no tools.").waitFor();
  expectSame(gateway.server("notes")?.config.tools, undefined);
}

const TOKEN_OF_UPSTREAM = "token-that-nobody-sees";

async function addUpstream({ page, gateway, url }: Flow): Promise<void> {
  await page.goto(`${url}/upstreams`);
  await page.getByRole("link", { name: "Add an MCP server" }).click();
  await page.getByRole("combobox", { name: "Server" }).selectOption({ label: "Customer records" });
  await page.getByRole("textbox", { name: "Name" }).fill("docs");
  await page.getByRole("textbox", { name: "URL" }).fill("https://docs.example.com/mcp");
  await page.getByRole("combobox", { name: "Login" }).selectOption("token");
  await page.getByLabel("Token").fill(TOKEN_OF_UPSTREAM);
  await page.getByRole("button", { name: "Add the MCP server" }).click();
  await page.waitForURL(`${url}/servers/crm`);
  expectSame(gateway.server("crm")?.config.upstreams, {
    docs: { url: "https://docs.example.com/mcp", auth: { bearer: "${secret:crm-docs}" } },
  });
  expectSame(gateway.storage.secrets.get("crm-docs")?.reveal(), TOKEN_OF_UPSTREAM);
  await page.getByRole("link", { name: "Edit docs" }).click();
  await page.getByText("Leave it empty to keep the one that is set.").waitFor();
  expectSame((await page.content()).includes(TOKEN_OF_UPSTREAM), false);
  await page.getByRole("textbox", { name: "Prefix" }).fill("docs");
  await page.getByRole("button", { name: "Save the MCP server" }).click();
  await page.waitForURL(`${url}/servers/crm`);
  expectSame(gateway.server("crm")?.config.upstreams?.["docs"], {
    url: "https://docs.example.com/mcp",
    auth: { bearer: "${secret:crm-docs}" },
    prefix: "docs",
  });
  await page.getByRole("button", { name: "Remove docs" }).click();
  await page.getByRole("button", { name: "Remove the MCP server" }).click();
  await page.getByText("This server offers no other MCP server.").waitFor();
}

async function addProgram({ page, gateway, url }: Flow): Promise<void> {
  await page.goto(`${url}/add/mcp`);
  await page.getByText("A program", { exact: true }).click();
  await page.getByText("does not let this page start programs").waitFor();
  expectSame(await page.getByRole("button", { name: "Add the MCP server" }).isDisabled(), true);
  // The page is not the guard: the gateway is.
  const answer = await page.evaluate(async () => {
    const body = JSON.stringify({ upstreams: { shell: { command: "sh", args: ["-c", "true"] } } });
    const init = { method: "PUT", headers: { "content-type": "application/json" }, body };
    const response = await fetch("/api/v1/servers/shell", init);
    return [response.status, await response.text()] as const;
  });
  expectSame(answer[0], 422);
  expectSame(answer[1].includes("machineAccess"), true);
  expectSame(gateway.server("shell"), undefined);
}

async function connect({ page, gateway, url }: Flow): Promise<void> {
  await page.goto(`${url}/servers/weather`);
  const text = page.getByRole("region", { name: "Text for Cursor" });
  await page.getByRole("tab", { name: "Cursor" }).click();
  await text.waitFor();
  expectSame((await text.textContent())?.includes("Bearer ${env:TOOLWIRE_KEY}"), true);
  await page.getByRole("button", { name: "Make a key for this server" }).click();
  await page.getByText("Copy the text now: the key is shown this once.").waitFor();
  await page.getByRole("button", { name: "Copy: Text for Cursor" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const secret = /twk_[\w-]+/.exec(copied)?.[0] ?? "";
  const made = gateway.storage.keys.list().find(({ name }) => name === "Cursor, weather");
  expectSame(made?.servers, ["weather"]);
  expectSame(gateway.storage.keys.find(secret)?.id, made?.id);
  // The key is on this view alone, and gone with it.
  await page.getByRole("link", { name: "keys", exact: true }).click();
  await page.getByRole("row", { name: /^Cursor, weather/ }).waitFor();
  expectSame((await page.content()).includes(secret), false);
  await page.goBack();
  await page.getByRole("button", { name: "Make a key for this server" }).waitFor();
  expectSame((await page.content()).includes(secret), false);
  expectSame(
    await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, location.href])),
    JSON.stringify([{}, {}, `${url}/servers/weather`]),
  );
  await page.getByRole("button", { name: "Make a key for this server" }).click();
  await page.getByRole("button", { name: "Revoke it" }).click();
  await page.getByRole("button", { name: "Make a key for this server" }).waitFor();
  expectSame(gateway.storage.keys.list().filter(({ name }) => name.endsWith(", weather")).length, 1);
}

async function walkTabs({ page, url }: Flow): Promise<void> {
  await page.goto(`${url}/servers/payments`);
  await page.getByText("No key is needed.").waitFor();
  await page.getByRole("tab", { name: "Claude Desktop" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("region", { name: "Text for Claude Code" }).waitFor();
  await expectSoon(page, () => page.evaluate(() => document.activeElement?.textContent), "Claude Code");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("region", { name: "Text for @toolwire/client" }).waitFor();
  expectSame(await page.getByRole("tab", { selected: true }).count(), 1);
}

async function keepSpan({ page }: Flow): Promise<void> {
  await page.getByText("Calls of the last 24 hours").waitFor();
  expectSame(new URL(page.url()).search, "");
  await page.getByRole("radio", { name: "The last hour" }).check();
  await page.getByText("Calls of the last hour").waitFor();
  await page.getByRole("link", { name: "Calls", exact: true }).click();
  await page.getByText("The log of the last hour").waitFor();
  expectSame(new URL(page.url()).search, "?last=1h");
}

async function openProblem({ page, url }: Flow): Promise<void> {
  for (const path of ["servers", "servers/everything", "upstreams", "health"]) {
    await page.goto(`${url}/${path}`);
    const more = page.getByText("Show all of it").first();
    await more.waitFor();
    const whole = page.getByText("A complete log of this run").first();
    expectSame(await whole.isVisible(), false);
    await more.click();
    await whole.waitFor();
    expectSame((await whole.innerText()).split("\n").length > 3, true);
  }
}

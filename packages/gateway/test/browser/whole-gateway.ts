/** The page in front of a real gateway: from an OpenAPI document to a call in the log, with nothing simulated but the API. */
import type { Browser, Page } from "playwright-core";
import { createGateway } from "../../src/create-gateway.ts";
import type { Gateway } from "../../src/gateway.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import { simulateApi, type SimulatedApi } from "../simulated-api.ts";
import { openTab } from "./tab.ts";
import { TOKEN } from "./fixture.ts";
import { expectNone, expectSame, type Run } from "../../../../test/browser/run.ts";
import { seen } from "./seen.ts";

const DOCUMENT = `openapi: 3.1.0
info: { title: Tide tables, version: "1" }
servers: [{ url: "https://tides.example/v1" }]
security: [{ key: [] }]
paths:
  /tides/{harbour}:
    get:
      operationId: getTides
      summary: High and low water of a harbour
      parameters:
        - { name: harbour, in: path, required: true, schema: { type: string } }
        - { name: days, in: query, schema: { type: integer, minimum: 1, maximum: 7 } }
      responses: { "200": { description: Tides } }
components:
  securitySchemes: { key: { type: http, scheme: bearer } }
`;

/** Makes a server on the page, and calls it there and by MCP. */
export async function checkWholeGateway(run: Run, browser: Browser): Promise<void> {
  console.log("a real gateway");
  const api = await simulateApi(({ target, headers }) => {
    if (headers["authorization"] !== "Bearer key-of-the-tides") return { status: 401, body: '{"message":"No key"}' };
    return { body: JSON.stringify({ target, high: "06:12", low: "12:20" }) };
  });
  const gateway = await createGateway(
    { version: 1, admin: { token: TOKEN }, network: { allow: ["127.0.0.1"] } },
    { port: 0, adminPort: 0, storage: openMemoryStorage() },
  );
  const url = gateway.adminUrl ?? "";
  const tab = await openTab(browser, url, { theme: "dark", width: 1440 });
  await run.check(
    "a document becomes a server on the page, and its call is in the log and in the figures",
    async () => {
      await tab.page.goto(url);
      await tab.page.getByLabel("Admin token").fill(TOKEN);
      await tab.page.keyboard.press("Enter");
      await importTides(tab.page, api);
      await setKey(tab.page, gateway);
      await callTides(tab.page, gateway, api);
      expectNone("complaints", tab.complaints);
    },
  );
  await tab.close();
  await gateway.close();
  await api[Symbol.asyncDispose]();
}

async function importTides(page: Page, api: SimulatedApi): Promise<void> {
  await seen(page, "There is no server yet.").waitFor();
  await page.getByRole("link", { name: "Add", exact: true }).click();
  await page.getByRole("link", { name: "An API with an OpenAPI document" }).click();
  await page.getByRole("textbox", { name: "Slug" }).fill("tides");
  await page.getByRole("textbox", { name: "Document" }).fill(DOCUMENT);
  await page.getByRole("button", { name: "Read the document" }).click();
  await page.getByRole("textbox", { name: "Base URL" }).fill(`${api.url}/v1`);
  await page.getByRole("combobox", { name: "Status" }).selectOption("active");
  await page.getByRole("button", { name: "Make a server of 1 tool" }).click();
  await page.getByRole("heading", { name: "Tide tables" }).waitFor();
}

async function setKey(page: Page, gateway: Gateway): Promise<void> {
  await page.getByRole("button", { name: "Set tides-key" }).click();
  await page.getByLabel("Value").fill("key-of-the-tides");
  await page.keyboard.press("Enter");
  await page.getByRole("status").filter({ hasText: "tides-key is set." }).waitFor();
  await page.locator(".badge-set").waitFor();
  expectSame(gateway.server("tides")?.credentials[0]?.isSet, true);
}

async function callTides(page: Page, gateway: Gateway, api: SimulatedApi): Promise<void> {
  await page.getByRole("link", { name: "get_tide" }).click();
  await page.getByRole("textbox", { name: "harbour" }).fill("Saint-Malo");
  await page.getByRole("textbox", { name: "days" }).fill("9");
  await page.getByRole("button", { name: "Call the tool" }).click();
  await seen(page, "expected at most 7, got 9").waitFor();
  expectSame(api.requests.length, 0);
  await page.getByRole("textbox", { name: "days" }).fill("2");
  await page.getByRole("button", { name: "Call the tool" }).click();
  await page.getByRole("region", { name: "Block 1" }).getByText("06:12").waitFor();
  expectSame(api.requests[0]?.target, "/v1/tides/Saint-Malo?days=2");

  const response = await fetch(`${gateway.url}/mcp/tides`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_tide", arguments: {} } }),
  });
  expectSame(response.status, 200);

  await page.getByRole("link", { name: "See the call" }).click();
  for (const step of ["Validate", "Resolve", "Inject auth", "Call", "Transform", "Log", "Return"]) {
    await page.locator(".time-line b").getByText(step, { exact: true }).waitFor();
  }
  expectSame(await page.getByText("not reached").count(), 0);
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByRole("img", { name: /: 2 calls, of which 1 failed/ }).waitFor();
  await seen(page, "missing required").waitFor();
}

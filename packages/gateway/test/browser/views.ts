import type { Page } from "playwright-core";
import type { FakeGateway } from "../admin/fixture/fake-gateway.ts";

/** A view of the page: where it is, and what must be there. */
export interface ViewCase {
  readonly name: string;
  readonly path: string;
  /** Texts that must be visible. */
  readonly texts: readonly string[];
  /** Roles with their names that must be there. */
  readonly roles: readonly (readonly [Parameters<Page["getByRole"]>[0], string])[];
  /** Brings the view into the state that is looked at. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** All views, in the order of the navigation. */
export function listViews(gateway: FakeGateway): readonly ViewCase[] {
  const outage = gateway.calls.findLast(
    ({ httpStatus, tool }) => httpStatus === 503 && tool === "create_payment_intent",
  );
  const refused = gateway.calls.findLast(({ outcome }) => outcome === "invalid-arguments");
  return [
    {
      name: "overview",
      path: "/",
      texts: [
        "Calls over time",
        "Latency over time",
        "Tools by calls",
        "Tools by failures",
        "Last errors",
        "Error rate",
      ],
      roles: [
        ["heading", "Overview"],
        ["img", "Calls over time, stacked by outcome"],
        ["img", "Latency over time."],
      ],
    },
    {
      name: "calls",
      path: "/calls",
      texts: ["get_weather", "Show older calls", "Tool error"],
      roles: [
        ["search", "Filters"],
        ["switch", "Live"],
        ["table", "Calls, newest first"],
        ["combobox", "Outcome"],
      ],
    },
    {
      name: "calls-filtered",
      path: "/calls?last=6h&server=payments&failures=true",
      texts: ["create_payment_intent", "503", "Clear filters"],
      roles: [["button", "Clear filters"]],
    },
    {
      name: "call-failed",
      path: `/calls/${outage?.id ?? ""}`,
      texts: [
        "Error: Upstream API returned 503 - Service Unavailable",
        "Inject auth",
        "Transform",
        "Return",
        "[redacted]",
      ],
      roles: [
        ["link", "Try again"],
        ["region", "Arguments, without secrets"],
        ["region", "Time line"],
      ],
    },
    {
      name: "call-refused",
      path: `/calls/${refused?.id ?? ""}`,
      texts: ["not reached", "Bodies are not kept."],
      roles: [["heading", "Time line"]],
    },
    {
      name: "servers",
      path: "/servers",
      texts: ["Weather", "/mcp/payments", "tokens", "draft", "The upstream live could not be reached."],
      roles: [
        ["table", "Servers of the gateway"],
        ["link", "Import an API"],
      ],
    },
    {
      name: "server",
      path: "/servers/crm",
      texts: ["http://127.0.0.1:8080/mcp/crm", "find_contact", "[secret]", "revision 1"],
      roles: [
        ["combobox", "Status"],
        ["button", "Remove"],
        ["button", "Make a draft find_contact"],
      ],
    },
    {
      name: "server-with-upstreams",
      path: "/servers/everything",
      texts: ["docs_search", "1 tool has changed", "Change it in the configuration file"],
      roles: [["button", "Accept the changes"]],
    },
    {
      name: "tool",
      path: "/servers/payments/tools/create_payment_intent",
      texts: ["In the smallest unit: cents for euros.", "Input schema", "required"],
      roles: [
        ["textbox", "amount required"],
        ["combobox", "currency required"],
        ["combobox", "capture"],
        ["button", "Add shipping"],
        ["button", "Add to payment_method_types"],
        ["combobox", "Form of confirmation"],
        ["textbox", "metadata"],
        ["button", "Call the tool"],
      ],
    },
    {
      name: "tool-invalid",
      path: "/servers/payments/tools/create_payment_intent",
      texts: ["2 arguments are not valid", "missing required field"],
      roles: [["alert", ""]],
      prepare: async (page) => {
        await page.getByRole("textbox", { name: "amount" }).fill("12");
        await page.getByRole("button", { name: "Call the tool" }).click();
        await page.getByText("expected at least 50, got 12").first().waitFor();
      },
    },
    {
      name: "import",
      path: "/import",
      texts: ["Read a document", "Choose operations", "Paste or upload"],
      roles: [
        ["textbox", "Slug required"],
        ["textbox", "Document required"],
        ["button", "Read the document"],
      ],
    },
    {
      name: "import-choice",
      path: "/import",
      texts: ["listPets", "not possible: ", "3 tools chosen", "tokens"],
      roles: [
        ["checkbox", "GET /reports/{kind}"],
        ["button", "Make a server of 3 tools"],
      ],
      prepare: async (page) => {
        await page.getByRole("textbox", { name: "Slug" }).fill("pets");
        await page.getByText("From a URL").click();
        await page.getByRole("textbox", { name: "URL" }).fill("https://specs.example/pets.json");
        await page.getByRole("button", { name: "Read the document" }).click();
        await page.getByText("listPets").waitFor();
      },
    },
    {
      name: "upstreams",
      path: "/upstreams",
      texts: [
        "files-server",
        "connection refused",
        "since somebody accepted them, and cannot be called",
        "Each caller logs in. 2 callers logged in.",
        "Needs the login of an admin",
      ],
      roles: [
        ["button", "Restart live"],
        ["button", "Disconnect ada@example.com"],
        ["button", "Log in at docs"],
        ["button", "Accept the changes"],
      ],
    },
    {
      name: "credentials",
      path: "/credentials",
      texts: ["bearerAuth", "each caller's own", "none shared", "payments-connect"],
      roles: [["button", "Set a secret"]],
    },
    {
      name: "keys",
      path: "/keys",
      texts: ["Support bot", "weather, payments", "never"],
      roles: [["button", "Revoke Support bot"]],
    },
    {
      name: "keys-dialog",
      path: "/keys",
      texts: ["Make a key", "Without a choice, it opens all servers."],
      roles: [["dialog", "Make a key"]],
      prepare: async (page) => {
        await page.getByRole("button", { name: "Make a key" }).click();
        await page.getByRole("checkbox", { name: "Weather" }).waitFor();
      },
    },
    {
      name: "health",
      path: "/health",
      texts: ["degraded", "embedded database (PGlite)", "12 records in the spool", "secret.set", "key.create"],
      roles: [["table", "The last changes"]],
    },
  ];
}

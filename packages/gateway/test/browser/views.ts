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
  /** Whether the gateway refuses something on the way, which the browser prints. */
  readonly isRefused?: boolean;
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
        ["link", "Add a server"],
      ],
    },
    {
      name: "server",
      path: "/servers/crm",
      texts: ["http://127.0.0.1:8080/mcp/crm", "find_contact", "[secret]", "revision 1", "This server is a draft."],
      roles: [
        ["tab", "Claude Desktop"],
        ["tab", "MCP Inspector"],
        ["region", "Text for Claude Desktop"],
        ["link", "Edit find_contact"],
        ["button", "Remove find_contact"],
        ["link", "Add a tool"],
        ["link", "Add an MCP server"],
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
      name: "server-with-key",
      path: "/servers/weather",
      texts: ["Copy the text now: the key is shown this once.", "Bearer twk_", "Or run", ".mcp.json"],
      roles: [
        ["tab", "Claude Code"],
        ["button", "Revoke it"],
        ["button", "Copy: Command for Claude Code"],
      ],
      prepare: async (page) => {
        await page.getByRole("tab", { name: "Claude Code" }).click();
        await page.getByRole("button", { name: "Make a key for this server" }).click();
        await page.getByRole("button", { name: "Revoke it" }).waitFor();
      },
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
      name: "add",
      path: "/add",
      texts: ["An API with an OpenAPI document", "Another MCP server", "A tool by hand"],
      roles: [["link", "A tool by hand"]],
    },
    {
      name: "add-tool",
      path: "/add/tool?server=crm",
      texts: ["Arguments", "Write them as JSON Schema"],
      roles: [
        ["combobox", "Server"],
        ["group", "Argument 1"],
        ["textbox", "Value of header 1"],
        ["button", "Add the tool"],
      ],
      prepare: async (page) => {
        await page.getByRole("textbox", { name: "Name" }).fill("list_notes");
        await page.getByRole("textbox", { name: "Description" }).fill("Lists the notes of a contact");
        await page.getByRole("textbox", { name: "URL" }).fill("https://crm.example/contacts/{contact}/notes");
        await page.getByRole("button", { name: "Add an argument" }).click();
        await page.getByText("Headers, credential and response").click();
        await page.getByRole("button", { name: "Add a header" }).click();
      },
    },
    {
      name: "add-tool-refused",
      isRefused: true,
      path: "/add/tool",
      texts: ["The gateway does not take this:", "servers.notes.tools.list.request.url"],
      roles: [["alert", ""]],
      prepare: async (page) => {
        await page.getByRole("textbox", { name: "Slug" }).fill("notes");
        await page.getByRole("textbox", { name: "Name" }).fill("list");
        await page.getByRole("textbox", { name: "Description" }).fill("Lists notes");
        await page.getByRole("textbox", { name: "URL" }).fill("notes.example");
        await page.getByRole("button", { name: "Add the tool" }).click();
        await page.getByText("This is not a URL to call.").first().waitFor();
      },
    },
    {
      name: "add-upstream",
      path: "/add/mcp",
      texts: ["It is sealed, and nobody can read it again."],
      roles: [
        ["textbox", "Slug required"],
        ["textbox", "URL required"],
        ["button", "Add the MCP server"],
      ],
      prepare: async (page) => {
        await page.getByRole("combobox", { name: "Login" }).selectOption("token");
        await page.getByRole("button", { name: "Add a header" }).click();
      },
    },
    {
      name: "add-program",
      path: "/add/mcp",
      texts: ["The configuration file does not let this page start programs"],
      roles: [["radio", "A program"]],
      prepare: (page) => page.getByText("A program", { exact: true }).click(),
    },
    {
      name: "edit-tool",
      path: "/servers/crm/tools/find_contact/edit",
      texts: ["Edit find_contact", "The name cannot be changed.", "Select from the response"],
      roles: [["button", "Save the tool"]],
    },
    {
      name: "import",
      path: "/add/openapi",
      texts: ["Read a document", "Choose operations", "Paste or upload"],
      roles: [
        ["textbox", "Slug required"],
        ["button", "Choose a file"],
        ["textbox", "Document required"],
        ["button", "Read the document"],
      ],
    },
    {
      name: "import-choice",
      path: "/add/openapi",
      texts: ["list_pets", "not possible: ", "3 tools chosen", "tokens"],
      roles: [
        ["checkbox", "GET /reports/{kind}"],
        ["button", "Make a server of 3 tools"],
      ],
      prepare: async (page) => {
        await page.getByRole("textbox", { name: "Slug" }).fill("pets");
        await page.getByText("From a URL").click();
        await page.getByRole("textbox", { name: "URL" }).fill("https://specs.example/pets.json");
        await page.getByRole("button", { name: "Read the document" }).click();
        await page.getByText("list_pets").waitFor();
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
      name: "not-found",
      path: "/elsewhere",
      texts: ["There is no view at this address"],
      roles: [["link", "Go to the overview"]],
    },
    {
      name: "health",
      path: "/health",
      texts: ["degraded", "embedded database (PGlite)", "12 records in the spool", "secret.set", "key.create"],
      roles: [["table", "The last changes"]],
    },
  ];
}

/** What the first user sees after the first calls: all of them in one interval. */
export const FIRST_DAY_VIEWS: readonly ViewCase[] = [
  {
    name: "first-calls",
    path: "/",
    texts: ["Calls of the last 15 minutes", "Latency over time", "get_weather"],
    roles: [
      ["img", "Calls over time, stacked by outcome: 3 calls"],
      ["img", "Latency over time."],
    ],
  },
  {
    name: "first-calls-log",
    path: "/calls",
    texts: ["The log of the last 15 minutes", "3 calls shown"],
    roles: [["radio", "The last 24 hours"]],
  },
];

/** What there is before anything was made: each view says the next step. */
export const EMPTY_VIEWS: readonly ViewCase[] = [
  {
    name: "empty-overview",
    path: "/",
    texts: ["There is no server yet.", "No calls in the last 24 hours."],
    roles: [["link", "Add one here"]],
  },
  { name: "empty-servers", path: "/servers", texts: ["There is no server yet."], roles: [["link", "Add one here"]] },
  {
    name: "empty-credentials",
    path: "/credentials",
    texts: ["No server has credentials.", "No secret is set."],
    roles: [["button", "Set a secret"]],
  },
  { name: "empty-keys", path: "/keys", texts: ["There is no key yet."], roles: [["button", "Make a key"]] },
  {
    name: "empty-upstreams",
    path: "/upstreams",
    texts: ["No server offers other MCP servers."],
    roles: [["link", "Add one here"]],
  },
];

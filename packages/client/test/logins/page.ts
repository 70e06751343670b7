/** The page of a small application, which is bundled and shown in a browser: a button that calls a tool, and its result. */
import { connect, textOf, type Client } from "@toolwire/client";
import { memoryStore, oauth } from "@toolwire/client/auth";
import { completeLogin, completePopup, indexedDbStore, popupLogin, redirectLogin } from "@toolwire/client/auth/browser";

/** How the page behaves. The server of the application writes it into the page. */
export interface PageSettings {
  readonly server: string;
  readonly revision: "2026-07-28" | "2025-11-25";
  readonly login: "redirect" | "window";
  readonly store: "memory" | "database";
  /** Whether it calls the tool when it is shown, without a click. */
  readonly callsAtOnce?: boolean;
}

const { settings } = globalThis as unknown as { readonly settings: PageSettings };
const output = document.querySelector("output")!;

const auth = oauth({
  client: { name: "page" },
  login: settings.login === "redirect" ? redirectLogin() : popupLogin({ redirectUri: "/done" }),
  store: settings.store === "memory" ? memoryStore() : indexedDbStore(),
});
let client: Client | undefined;

async function call(): Promise<void> {
  output.textContent = "calling";
  output.textContent = await describeCall();
  console.info(output.textContent);
}

async function describeCall(): Promise<string> {
  try {
    client ??= await connect(settings.server, { auth, revision: settings.revision });
    return `hello ${textOf(await client.callTool("whoami"))}`;
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    return `${String(code)}: ${String(message)}`;
  }
}

if (location.pathname === "/done") completePopup();
else {
  document.querySelector("button")!.addEventListener("click", () => void call());
  if (completeLogin() !== undefined || settings.callsAtOnce === true) void call();
}

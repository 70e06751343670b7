import type { Browser, BrowserContext, Page } from "playwright-core";

/** A look at the page: colours and width. */
export interface Look {
  readonly theme: "light" | "dark";
  readonly width: number;
}

/** A tab, and everything in it that should not have happened. */
export interface Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors on the console, exceptions, refused content, and requests to elsewhere. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** Opens a tab. With `now`, its clock stands still. */
export async function openTab(browser: Browser, origin: string, look: Look, now?: number): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.width < 500 ? 780 : 900 },
    colorScheme: look.theme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const complaints: string[] = [];
  context.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`request to ${request.url()}`);
  });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog of a script: ${dialog.message()}`);
    void dialog.dismiss();
  });
  // The compiler wraps named functions in a call of this, which the page does not have.
  await page.addInitScript("globalThis.__name = (value) => value");
  // The browser's own text of a refusal is on the console as well; this also catches refusals that are only reported.
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`content policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  if (now !== undefined) await page.clock.setFixedTime(now);
  page.setDefaultTimeout(10_000);
  return { context, page, complaints, close: () => context.close() };
}

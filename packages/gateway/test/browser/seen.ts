import type { Locator, Page } from "playwright-core";

/** A text that can be seen, in the view or in a dialog over it. */
export function seen(page: Page, text: string): Locator {
  return page.locator("main, dialog[open]").getByText(text).filter({ visible: true }).first();
}

/** Looks at a page as it is drawn: contrast, overflow, names of controls, order of the focus. */
import type { Page } from "playwright-core";

/** Texts whose contrast with what is behind them is too low (WCAG 2.2, 1.4.3). */
export function findLowContrast(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Color = readonly [number, number, number, number];
    const parse = (text: string): Color => {
      const numbers = Array.from(text.matchAll(/-?[\d.]+(?:e-?\d+)?/g), Number);
      const isUnit = text.startsWith("color(");
      const [red = 0, green = 0, blue = 0, alpha = 1] = numbers;
      return isUnit ? [red * 255, green * 255, blue * 255, alpha] : [red, green, blue, alpha];
    };
    const over = (top: Color, below: Color): Color => {
      const mix = (index: 0 | 1 | 2): number => top[index] * top[3] + below[index] * (1 - top[3]);
      return [mix(0), mix(1), mix(2), 1];
    };
    const behind = (element: Element): Color => {
      const layers: Color[] = [];
      for (let each: Element | null = element; each !== null; each = each.parentElement) {
        layers.push(parse(getComputedStyle(each).backgroundColor));
        if ((layers.at(-1)?.[3] ?? 0) >= 1 || each.tagName === "DIALOG") break;
      }
      return layers.toReversed().reduce((below, top) => over(top, below), [255, 255, 255, 1] as Color);
    };
    const luminance = (color: Color): number => {
      const [red, green, blue] = color.slice(0, 3).map((value) => {
        const share = value / 255;
        return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      }) as [number, number, number];
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent?.trim() ?? "";
      if (element === null || text === "" || !element.checkVisibility({ opacityProperty: true })) continue;
      if (element.closest(".visually-hidden, :disabled, script, style, noscript, option") !== null) continue;
      const style = getComputedStyle(element);
      const ground = behind(element);
      const ink = over(parse(style.color), ground);
      const [light, dark] = [luminance(ink), luminance(ground)].toSorted((left, right) => right - left) as [
        number,
        number,
      ];
      const ratio = (light + 0.05) / (dark + 0.05);
      const size = Number.parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      // A sign of one character in a badge repeats the word beside it.
      const needed = isLarge || element.closest("[aria-hidden=true]") !== null ? 3 : 4.5;
      if (ratio < needed) {
        found.push(`${ratio.toFixed(2)} for ${JSON.stringify(text.slice(0, 40))} in ${element.className}`);
      }
    }
    return found;
  });
}

/** Elements that make the page scroll sideways. */
export function findOverflow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll("body *")]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > width + 1)
      .map((element) => `${element.tagName}.${element.getAttribute("class") ?? ""}`);
  });
}

/** Things that people who cannot see the page would miss: names, headings, labels, tables. */
export function findUnnamed(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const visible = (selector: string): HTMLElement[] =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.checkVisibility());
    const nameOf = (element: HTMLElement): string => {
      const by = element.getAttribute("aria-labelledby");
      const labels = (element as HTMLInputElement).labels;
      return [
        element.getAttribute("aria-label"),
        by === null ? null : document.querySelector(`#${CSS.escape(by)}`)?.textContent,
        labels === null || labels === undefined ? null : Array.from(labels, (label) => label.textContent).join(" "),
        element.matches("input, select, textarea") ? null : element.textContent,
      ]
        .join("")
        .trim();
    };
    for (const element of visible(
      "a, button, input, select, textarea, dialog, section, [role=region], [role=img], [role=tablist], [role=group]",
    )) {
      if (nameOf(element) === "") found.push(`no name: ${element.outerHTML.slice(0, 120)}`);
    }
    const levels = visible("h1, h2, h3").map(({ tagName }) => Number(tagName[1]));
    if (levels.filter((level) => level === 1).length !== 1) {
      found.push(`headings of the first level: ${levels.join(" ")}`);
    }
    levels.forEach((level, index) => {
      if (index > 0 && level > (levels[index - 1] ?? 0) + 1) found.push(`a heading is left out: ${levels.join(" ")}`);
    });
    for (const table of visible("table")) {
      if (table.querySelector("th[scope=col]") === null) found.push("a table without headings of its columns");
    }
    const ids = Array.from(document.querySelectorAll("[id]"), ({ id }) => id);
    found.push(...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `the id ${id} is there twice`));
    found.push(...Array.from(document.querySelectorAll("body [style*='url']"), () => "a style with a URL"));
    return found;
  });
}

/** One stop of the focus. */
export interface Stop {
  readonly name: string;
  readonly isSeen: boolean;
  readonly isInOrder: boolean;
}

/** Presses Tab until the focus leaves the page, and notes where it stops. */
export async function walkFocus(page: Page, most = 120): Promise<Stop[]> {
  await page.evaluate(() => {
    // A click moves the place from which Tab goes on; this brings it back to the start.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute("tabindex");
    document.querySelectorAll("[data-seen]").forEach((element) => element.removeAttribute("data-seen"));
  });
  const stops: Stop[] = [];
  for (let count = 0; count < most; count += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      if (element === null || element === document.body || element.dataset["seen"] !== undefined) return undefined;
      const last = [...document.querySelectorAll("[data-seen]")].at(-1);
      element.dataset["seen"] = "";
      const isInOrder =
        last === undefined || (last.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
      const shown = element.closest<HTMLElement>(".segment, .file-button") ?? element;
      const { outlineStyle, outlineWidth } = getComputedStyle(shown);
      const box = shown.getBoundingClientRect();
      const isSeen = outlineStyle !== "none" && outlineWidth !== "0px" && box.width > 0 && box.height > 0;
      const name = element.getAttribute("aria-label") ?? element.textContent ?? "";
      return { name: name.trim().slice(0, 60), isSeen, isInOrder };
    });
    if (stop === undefined) break;
    stops.push(stop);
  }
  return stops;
}

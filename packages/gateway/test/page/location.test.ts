import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type * as pageLocation from "../../page/src/location/location.ts";
import { changeQuery, pathTo, readLocation } from "../../page/src/location/query.ts";
import {
  chosenTime,
  describeRange,
  filterQuery,
  keptRange,
  lastOf,
  SPANS,
  type RangeLocation,
} from "../../page/src/location/range.ts";

const host = await vi.hoisted(async () => new (await import("./hooks.ts")).HookHost());
vi.mock("preact/hooks", () => host.module);

function at(search: string, fitting: RangeLocation["fitting"] = "24h"): RangeLocation {
  return { ...readLocation("/calls", search), fitting };
}

describe("locations", () => {
  test("A path is read by its parts, decoded, and written back the same", () => {
    expect(readLocation("/servers/a%2Fb/tools/", "").parts).toEqual(["servers", "a/b", "tools"]);
    expect(readLocation("/", "").parts).toEqual([]);
    expect(readLocation("/calls/100%", "?a=1").parts).toEqual(["calls", "100%"]);
    expect(readLocation("/calls", "?a=1").query.get("a")).toBe("1");
    expect(pathTo("servers", "a/b")).toBe("/servers/a%2Fb");
  });

  test("Filters are added and replaced, and empty ones go away", () => {
    expect(changeQuery("?a=1&b=2", { a: "3", b: undefined, c: "x y" })).toBe("?a=3&c=x+y");
    expect(changeQuery("?a=1", { a: "" })).toBe("");
    expect(changeQuery("", {})).toBe("");
  });
});

describe("time spans", () => {
  test("The fitting span holds until somebody chooses another one", () => {
    expect(lastOf(at("", "15m"))).toBe("15m");
    expect(lastOf(at("?last=7d", "15m"))).toBe("7d");
    expect(filterQuery(at("", "1h")).toString()).toBe("last=1h");
  });

  test("A time that was chosen by its ends needs both of them, and comes before a span", () => {
    expect(chosenTime(at("?from=1&to=2"))).toEqual({ from: "1", to: "2" });
    expect(chosenTime(at("?from=1"))).toBeUndefined();
    expect(chosenTime(at("?to=1"))).toBeUndefined();
    expect(filterQuery(at("?from=1&to=2&last=7d")).toString()).toBe("from=1&to=2");
  });

  test("Filters of calls are part of the query, others and empty ones are not", () => {
    const query = filterQuery(at("?server=a&tool=&outcome=ok&principal=p&client=c&live=true")).toString();
    expect(query).toBe("last=24h&server=a&outcome=ok&principal=p&client=c");
  });

  test("A chosen span comes along to other views, and a fitting one does not", () => {
    expect(keptRange(at("?last=6h&server=a"))).toBe("?last=6h");
    expect(keptRange(at("?from=1&to=2&last=6h"))).toBe("?from=1&to=2");
    expect(keptRange(at("?server=a"))).toBe("");
  });

  test("A span is told in words", () => {
    expect(describeRange(at("", "1h"))).toBe("the last hour");
    const words = SPANS.map(({ id }) => describeRange(at(`?last=${id}`)));
    expect(words).toEqual([
      "the last 15 minutes",
      "the last hour",
      "the last 6 hours",
      "the last 24 hours",
      "the last 7 days",
      "the last 30 days",
    ]);
    expect(SPANS.map(({ label }) => label)).toEqual(["15 min", "1 h", "6 h", "24 h", "7 d", "30 d"]);
    expect(describeRange(at("?last=3h"))).toBe("the last 3h");
    expect(describeRange(at("?from=1&to=2"))).toBe("the chosen time");
  });
});

/** The parts of a browser that the page's location needs. */
class FakeBrowser {
  pathname = "/calls";
  search = "?a=1";
  readonly written: string[] = [];
  readonly scrolled: unknown[] = [];
  onPop: () => void = () => undefined;

  stub(): void {
    const write = (kind: string) => (_: unknown, __: string, url: string) => {
      this.written.push(`${kind} ${url}`);
      [this.pathname = "", this.search = ""] = url.split(/(?=\?)/, 2);
    };
    vi.stubGlobal("location", this);
    vi.stubGlobal("history", { pushState: write("push"), replaceState: write("replace") });
    vi.stubGlobal("scrollTo", (...place: unknown[]) => this.scrolled.push(place));
    vi.stubGlobal("addEventListener", (type: string, listener: () => void) => {
      if (type === "popstate") this.onPop = listener;
    });
  }
}

describe("the location of the page", () => {
  let browser: FakeBrowser;
  let page: typeof pageLocation;

  beforeEach(async () => {
    browser = new FakeBrowser();
    browser.stub();
    vi.resetModules();
    page = await import("../../page/src/location/location.ts");
  });

  afterEach(() => {
    host.leave();
    vi.unstubAllGlobals();
  });

  /** How often the view would be drawn again. */
  function countDraws(): () => number {
    let count = 0;
    const useState = vi.spyOn(host.module, "useState").mockImplementation(((initial: unknown) => [
      initial,
      (change: unknown) => {
        count += typeof change === "function" ? (change as (before: number) => number)(0) : 0;
      },
    ]) as never);
    host.draw(() => page.useLocation());
    useState.mockRestore();
    return () => count;
  }

  test("Going to another view is a step of the history, begins at its top, and is drawn", () => {
    const draws = countDraws();
    page.navigate("/keys?b=2");
    expect(browser.written).toEqual(["push /keys?b=2"]);
    expect(browser.scrolled).toEqual([[0, 0]]);
    expect(draws()).toBe(1);
    expect(host.draw(() => page.useLocation()).parts).toEqual(["keys"]);
  });

  test("Going to where the page is already does nothing", () => {
    page.navigate("/calls?a=1");
    expect(browser.written).toEqual([]);
  });

  test("A filter replaces the step of the history, and is drawn", () => {
    const draws = countDraws();
    page.setQuery({ b: "2" });
    expect(browser.written).toEqual(["replace /calls?a=1&b=2"]);
    expect(draws()).toBe(1);
  });

  test("The way back is drawn, and nothing is after the view was left", () => {
    const draws = countDraws();
    browser.onPop();
    expect(draws()).toBe(1);
    host.leave();
    browser.onPop();
    page.setQuery({ c: "3" });
    expect(draws()).toBe(1);
  });
});

describe("the look of the page", () => {
  afterEach(() => {
    host.leave();
    vi.unstubAllGlobals();
  });

  test("A look is applied and remembered, `auto` follows the system, and anything else counts as that", async () => {
    const stored = new Map<string, string>();
    const dataset: { [name: string]: string } = {};
    let onSystem: () => void = () => undefined;
    const matchMedia = vi.fn(() => ({
      addEventListener: (_: string, listener: () => void) => {
        onSystem = listener;
      },
    }));
    vi.stubGlobal("matchMedia", matchMedia);
    vi.stubGlobal("document", { documentElement: { dataset } });
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    });
    vi.resetModules();
    const theme = await import("../../page/src/theme.ts");
    expect(matchMedia).toHaveBeenCalledWith("(prefers-color-scheme: dark)");
    expect(theme.readTheme()).toBe("auto");
    const turn = (): number => host.draw(() => theme.useThemeTurn());
    expect(turn()).toBe(0);
    theme.chooseTheme("dark");
    expect([dataset["theme"], theme.readTheme(), turn()]).toEqual(["dark", "dark", 1]);
    theme.chooseTheme("light");
    expect([dataset["theme"], theme.readTheme()]).toEqual(["light", "light"]);
    theme.chooseTheme("auto");
    expect(dataset).not.toHaveProperty("theme");
    onSystem();
    expect(turn()).toBe(4);
    for (const key of stored.keys()) stored.set(key, "pink");
    theme.restoreTheme();
    expect(dataset).not.toHaveProperty("theme");
    for (const key of stored.keys()) stored.set(key, "dark");
    theme.restoreTheme();
    expect(dataset["theme"]).toBe("dark");
    host.leave();
    theme.chooseTheme("light");
    expect(turn()).toBe(0);
  });
});

import { describe, expect, test } from "vitest";
import { prefersPage } from "../../../../src/bindings/http/landing-page/accept.ts";

describe("an Accept header", () => {
  test.each([
    "text/html",
    "TEXT/HTML",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "text/html; charset=utf-8, */*",
    "text/html;q=0.9, application/json;q=0.8",
    "text/html;q=0.001",
    "application/json;q=0, text/html",
    "text/event-stream;q=0, text/html",
    "*/*, text/html;q=0.5",
  ])("of a browser asks for a page: %s", (accept) => {
    expect(prefersPage(accept)).toBe(true);
  });

  test.each([
    undefined,
    "",
    "*/*",
    "text/*",
    "application/json",
    "application/json, text/event-stream",
    "text/event-stream",
    "text/html, text/event-stream",
    "text/html, text/event-stream;q=0.1",
    "text/html, application/json",
    "text/html;q=0.8, application/json;q=0.9",
    "text/html;q=0.5, application/json",
    "text/html;q=0",
    "text/html;q=0.000",
    "application/xhtml+xml",
    "x-text/html",
    "text/html-sandboxed",
    "text/htmlx, */*",
  ])("of a program does not: %j", (accept) => {
    expect(prefersPage(accept)).toBe(false);
  });

  test("has weights of 1 at most, and those that make no sense are left out", () => {
    expect(prefersPage("text/html;q=9, application/json")).toBe(false);
    expect(prefersPage("text/html;q=high, application/json;q=0.9")).toBe(true);
    expect(prefersPage("text/html;level=1;q=0.5, application/json;q=0.7")).toBe(false);
  });
});

import { escapeUnprintable } from "@toolwire/protocol/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markup } from "../../../../src/bindings/http/landing-page/html.ts";
import { unescapeHtml } from "./read-page.ts";

describe("markup", () => {
  test("has every text in it as text, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { text: written } = markup`<p title="${text}">${text}</p>`;
        const [, title = "", body = ""] = /^<p title="([^"'<>]*)">([^"'<>]*)<\/p>$/.exec(written) ?? [];
        expect(unescapeHtml(title)).toBe(escapeUnprintable(text));
        expect(unescapeHtml(body)).toBe(escapeUnprintable(text));
      }),
    );
  });

  test("shows what is not seen, and keeps line breaks", () => {
    expect(markup`${"a\u202eb\u0000c\u200bd\ne"}`.text).toBe("a\\u202eb\\u0000c\\u200bd\ne");
  });

  test("takes markup as it is, alone and in lists, and leaves nothing of what is absent", () => {
    const bold = markup`<b>${"<"}</b>`;
    expect(markup`${bold}-${[bold, bold]}-${undefined}.`.text).toBe("<b>&lt;</b>-<b>&lt;</b><b>&lt;</b>-.");
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ParameterSpec } from "../../src/request/request-spec.ts";
import { resolve } from "./resolve.ts";

function inPath(name: string, rest: Partial<ParameterSpec> = {}): ParameterSpec {
  return { argument: [name], in: "path", name, ...rest };
}

describe("the URL of a request", () => {
  it("keeps the base path, which resolving a path against a URL would lose", () => {
    const { origin, path } = resolve(
      { baseUrl: "https://h.example/v1/", path: "/users/{id}", parameters: [inPath("id")] },
      { id: 7 },
    );
    expect({ origin, path }).toEqual({ origin: "https://h.example", path: "/v1/users/7" });
  });

  it("writes the port, and none that is the default of the scheme", () => {
    expect(resolve({ baseUrl: "https://h.example:8443" }, {}).origin).toBe("https://h.example:8443");
    expect(resolve({ baseUrl: "https://H.example:443" }, {}).origin).toBe("https://h.example");
  });

  it("puts several values into one segment", () => {
    const parameters = [inPath("name"), inPath("format")];
    expect(resolve({ path: "/files/{name}.{format}/raw", parameters }, { name: "a b", format: "txt" }).path).toBe(
      "/files/a%20b.txt/raw",
    );
  });

  it("writes the fixed query first, then the parameters of the query", () => {
    const q: ParameterSpec = { argument: ["q"], in: "query", name: "q" };
    expect(resolve({ path: "/x?format=j1&a", parameters: [q] }, { q: "1&2" }).path).toBe("/x?format=j1&a&q=1%262");
    expect(resolve({ path: "/x?format=j1", parameters: [q] }, {}).path).toBe("/x?format=j1");
  });

  it("fills in values in the fixed query, and leaves a pair out whose value is absent", () => {
    const parameters = [inPath("city"), inPath("units")];
    const spec = { path: "/w?q={city}&u=x-{units}&z=1", parameters };
    expect(resolve(spec, { city: "a/b&c", units: "m" }).path).toBe("/w?q=a%2Fb%26c&u=x-m&z=1");
    expect(resolve(spec, { units: "m" }).path).toBe("/w?u=x-m&z=1");
    expect(resolve(spec, { city: "" }).path).toBe("/w?q=&z=1");
  });

  it("encodes fixed text that somebody wrote as people read it, and keeps what is encoded", () => {
    expect(resolve({ path: "/a b/é/%20/100%/x|y" }, {}).path).toBe("/a%20b/%C3%A9/%20/100%25/x%7Cy");
  });

  it("names a missing value of a path", () => {
    const spec = { path: "/users/{id}", parameters: [inPath("id", { argument: ["user_id"] })] };
    for (const args of [{}, { user_id: null }, { user_id: [] }]) {
      expect(() => resolve(spec, args)).toThrow(
        'Invalid argument "user_id": it is missing or empty, and is a part of the path.',
      );
    }
  });

  it("maps arguments by their place, not by their names", () => {
    const parameters: ParameterSpec[] = [
      { argument: ["id_path"], in: "path", name: "id" },
      { argument: ["id_query"], in: "query", name: "id" },
      { argument: ["header", "id"], in: "header", name: "ID" },
    ];
    const request = resolve({ path: "/{id}", parameters }, { id_path: 1, id_query: 2, header: { id: 3 }, id: 4 });
    expect(request.path).toBe("/1?id=2");
    expect(request.headers["id"]).toBe("3");
  });
});

describe("a URL that cannot work", () => {
  it.each([
    ["ftp://h.example", "must be an absolute URL that begins with https:// or http://"],
    ["/v1", "must be an absolute URL"],
    ["https://user:secret@h.example", "must not contain a user name or password"],
    ["https://h.example?key=1", "must have no query and no fragment"],
    ["https://h.example/#x", "must have no query and no fragment"],
  ])("is refused: the base URL %s", (baseUrl, message) => {
    expect(() => resolve({ baseUrl }, {})).toThrow(message);
  });

  it("does not repeat a password in its error", () => {
    expect(() => resolve({ baseUrl: "https://user:hunter22@h.example" }, {})).not.toThrow("hunter22");
  });

  it.each([
    ["x", 'must begin with "/"'],
    ["/x#y", 'have no "#"'],
    ["/{id}", '"{id}" in "/{id}" names no parameter of the path'],
    ["/{id", "never closed"],
    ["/id}", 'a "}" that closes nothing'],
    ["/a/../b", 'must not contain the segments "." and ".."'],
    ["/a/%2e%2E/b", 'must not contain the segments "." and ".."'],
    ["/a\\b", 'must not contain "\\"'],
    ["/\uD800", "half of a surrogate pair"],
  ])("is refused: the path %s", (path, message) => {
    expect(() => resolve({ path }, {})).toThrow(message);
  });

  it("is refused if a GET has a body", () => {
    const body = { contentType: "application/json", format: "json" as const, from: { argument: ["body"] } };
    expect(() => resolve({ method: "GET", body }, {})).toThrow("A GET request has no body.");
  });
});

describe("separators in values of a path", () => {
  it("are refused by default, encoded or kept if the definition says so", () => {
    const spec = (rest: Partial<ParameterSpec>) => ({ path: "/files/{path}", parameters: [inPath("path", rest)] });
    expect(() => resolve(spec({}), { path: "a/b" })).toThrow(
      'Invalid argument "path": it is one segment of a path and must not contain "/" or "\\".',
    );
    expect(() => resolve(spec({}), { path: "a\\b" })).toThrow("must not contain");
    expect(resolve(spec({ pathSeparators: "encode" }), { path: "a/b\\c" }).path).toBe("/files/a%2Fb%5Cc");
    expect(resolve(spec({ pathSeparators: "keep" }), { path: "a/b c/d.txt" }).path).toBe("/files/a/b%20c/d.txt");
    for (const path of ["a/../b", "/a", "a//b", "a/", "./a", "a\\..\\b"]) {
      expect(() => resolve(spec({ pathSeparators: "keep" }), { path })).toThrow('Invalid argument "path"');
    }
  });
});

describe("properties of paths", () => {
  const anyText = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(".", "/", "\\", "%", "2", "e", "E", "f", "\t", "\n", "\r", ";", "?", "#", "a") }),
  );
  const styles = fc.constantFrom("simple", "label", "matrix");

  it("every value either stays in its segment, as a parser of URLs sees it, or is refused", () => {
    fc.assert(
      fc.property(
        anyText,
        anyText,
        styles,
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom("refuse", "encode"),
        (one, other, style, explode, allowReserved, separators) => {
          const rest = { style, explode, allowReserved, pathSeparators: separators } as Partial<ParameterSpec>;
          const spec = { path: "/before/{a}{b}/after?q={a}", parameters: [inPath("a", rest), inPath("b", rest)] };
          let path: string;
          try {
            ({ path } = resolve(spec, { a: one, b: [other, one] }));
          } catch (error) {
            expect((error as Error).message).toMatch(/^Invalid argument "[ab]": /);
            return;
          }
          const url = new URL(`https://api.example.com${path}`);
          const segments = url.pathname.split("/");
          expect(url.host).toBe("api.example.com");
          expect(url.hash).toBe("");
          expect([segments.length, segments[1], segments[3]]).toEqual([4, "before", "after"]);
          expect(url.pathname + url.search).toBe(path);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("a server that decodes a segment gets the value that was given", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (value) => {
        fc.pre(!/^[.\t\r\n]*$/.test(value) && !/^\.{1,2};/.test(value) && !/[/\\]/.test(value));
        const spec = { path: "/{a}", parameters: [inPath("a", { pathSeparators: "encode" })] };
        expect(decodeURIComponent(resolve(spec, { a: value }).path.slice(1))).toBe(value);
      }),
    );
  });
});

import { expect, test } from "vitest";
import { messagesOf, problemsOf } from "../problems-of.ts";

/** A configuration with one tool. */
function withTool(request: object, more: object = {}): object {
  const tool = { description: "d", request: { method: "GET", url: "https://x.example/", ...request }, ...more };
  return { version: 1, servers: { s: { tools: { t: tool } } } };
}

const CITY = { input: { type: "object", properties: { city: {} } } };

test("a placeholder that names no argument is found at its URL, with the nearest argument", () => {
  expect(messagesOf(withTool({ url: "https://x.example/{cty}" }, CITY))).toEqual([
    'error: servers.s.tools.t.request.url: "{cty}" in `url` names no argument: add "cty" to `input`. Did you mean "city"?',
  ]);
  expect(messagesOf(withTool({ url: "https://x.example/{city}" }, CITY))).toEqual([]);
});

test("every placeholder that names no argument is found, each once", () => {
  expect(messagesOf(withTool({ url: "https://x.example/{a}/{b}/{a}?c={c}" }))).toEqual([
    expect.stringContaining('"{a}" in `url`'),
    expect.stringContaining('"{b}" in `url`'),
    expect.stringContaining('"{c}" in `url`'),
  ]);
});

test("mistakes of one tool are found together, each at the part that has it", () => {
  const text = `version: 1
servers:
  s:
    tools:
      t:
        description: d
        request:
          method: GET
          url: https://x.example/{id}
          params:
            city: query
            other: header
            when: { in: query, style: matrix }
          headers: { host: x, accept: text/plain }
          body: { argument: city }
        input: { type: object, properties: { city: {}, when: {} } }
        response: { select: "a[" }
`;
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(/^9:16: error: servers\.s\.tools\.t\.request\.url: "\{id\}" in `url` names no argument/),
    expect.stringMatching(/^12:20: error: servers\.s\.tools\.t\.request\.params\.other: `params` names "other"/),
    expect.stringMatching(/^13:19: error: servers\.s\.tools\.t\.request\.params\.when: .*matrix/),
    expect.stringMatching(/^14:28: error: servers\.s\.tools\.t\.request\.headers\.host: The header "host"/),
    expect.stringMatching(/^15:17: error: servers\.s\.tools\.t\.request\.body: A GET request has no body/),
    expect.stringMatching(/^17:29: error: servers\.s\.tools\.t\.response\.select: .*no JMESPath expression/),
  ]);
});

test("a body that a method does not have is found at the body", () => {
  const config = withTool({ body: { argument: "city" }, params: { city: "body" } }, CITY);
  expect(messagesOf(config)).toEqual([expect.stringContaining("A GET request has no body")]);
});

test("a schema that is not valid hides no mistake of the request", () => {
  const input = { type: "object", properties: { city: { type: "strin" } } };
  const config = withTool({ url: "https://x.example/{town}/{city}" }, { input });
  expect(messagesOf(config)).toEqual([
    expect.stringContaining('request.url: "{town}"'),
    expect.stringContaining("tools.t.input: This is not a valid JSON Schema"),
  ]);
});

test("a URL that cannot be called hides no placeholder without an argument", () => {
  expect(messagesOf(withTool({ url: "ftp://x.example/{town}" }))).toEqual([
    expect.stringContaining("This is not a URL to call"),
    expect.stringContaining('"{town}" in `url`'),
  ]);
  expect(messagesOf(withTool({ url: "${env:ABSENT}/{town}" }))).toEqual([
    expect.stringContaining("${env:ABSENT} is not set"),
    expect.stringContaining('"{town}" in `url`'),
  ]);
});

test("a required argument that the schema does not have is a warning with the nearest one", () => {
  const input = (more: object): object => ({ input: { type: "object", properties: { city: {} }, ...more } });
  expect(messagesOf(withTool({}, input({ required: ["city", "cty"] })))).toEqual([
    'warning: servers.s.tools.t.input.required[1]: "cty" is required, but `properties` does not have it, so it is sent nowhere. Did you mean "city"?',
  ]);
  expect(messagesOf(withTool({}, input({ required: ["city"] })))).toEqual([]);
  expect(messagesOf(withTool({}, input({ required: ["toString"] })))).toHaveLength(1);
  expect(messagesOf(withTool({}, input({ required: ["cty"], patternProperties: { "^c": {} } })))).toEqual([]);
});

test("no message shows what a reference in a URL or in a header stands for", () => {
  const config = withTool(
    { url: "https://x.example/${env:CANARY}", params: { city: "path" }, headers: { "x-a": "${env:CANARY}\u0001" } },
    CITY,
  );
  const messages = messagesOf(config, { CANARY: "canary-of-the-environment" }).join("\n");
  expect(messages).toContain("${env:CANARY}");
  expect(messages).not.toContain("canary-of");
});

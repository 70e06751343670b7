import fc from "fast-check";
import { expect, test } from "vitest";
import { expectConfig, expectServerConfig, readConfig } from "../../src/config/load-config.ts";
import { describeProblem } from "../../src/config/problem.ts";

const SOURCES = { env: { TOKEN: "canary-of-the-environment" }, folder: import.meta.dirname };

/** Reads a configuration, and returns its problems as lines. */
function problemsOf(text: string): readonly string[] {
  return readConfig(text, SOURCES, "gateway.yaml").problems.map(describeProblem);
}

const WEATHER = `
version: 1
servers:
  weather:
    tools:
      get_weather:
        description: Current weather of a city
        request: { method: GET, url: "https://wttr.in/{city}?format=j1" }
        input: { type: object, properties: { city: { type: string } }, required: [city] }
`;

test("a configuration without mistakes has no problems", () => {
  const { config, problems } = readConfig(WEATHER, SOURCES);
  expect(problems).toEqual([]);
  expect(config?.servers?.["weather"]?.tools?.["get_weather"]?.request.method).toBe("GET");
});

test("JSON is a configuration, too", () => {
  expect(readConfig(JSON.stringify({ version: 1, servers: {} }), SOURCES).problems).toEqual([]);
});

test("an unknown key is named with its line, its column and the nearest key", () => {
  expect(problemsOf("version: 1\nservers:\n  weather:\n    statsu: active\n    tools: {}\n")).toContainEqual(
    expect.stringMatching(/^gateway\.yaml:4:5: error: servers\.weather\.statsu: .*did you mean "status"\?/),
  );
});

test("all problems of a file are reported at once, in the order of their lines", () => {
  const problems = problemsOf(`version: 1
listen: { port: high }
servers:
  Weather:
    tools: {}
  one:
    status: on
    limits: { timeout: 30 seconds }
  two:
    credentials: { key: { bearer: "\${env:NOT_SET}" } }
    tools:
      t:
        description: d
        request: { method: GET, url: "ftp://x" }
        credential: kee
        input: { type: object, properties: { a: { type: strin } } }
  three:
    limits: { timeout: 30 seconds }
    tools: {}
`);
  expect(problems.filter((line) => line.includes(": error: "))).toEqual([
    expect.stringMatching(/^gateway\.yaml:2:17: error: listen\.port: expected integer/),
    expect.stringMatching(/^gateway\.yaml:4:3: error: servers\.Weather: A slug has 1 to 64/),
    expect.stringMatching(/^gateway\.yaml:7:13: error: servers\.one\.status: expected "active"/),
    expect.stringMatching(/^gateway\.yaml:8:24: error: servers\.one\.limits\.timeout: This is not a duration/),
    expect.stringMatching(
      /^gateway\.yaml:10:35: error: servers\.two\.credentials\.key\.bearer: \$\{env:NOT_SET\} is not set/,
    ),
    expect.stringMatching(
      /^gateway\.yaml:14:38: error: servers\.two\.tools\.t\.request\.url: This is not a URL to call/,
    ),
    expect.stringMatching(/^gateway\.yaml:15:21: error: servers\.two\.tools\.t\.credential: .*did you mean "key"\?/),
    expect.stringMatching(
      /^gateway\.yaml:16:16: error: servers\.two\.tools\.t\.input: This is not a valid JSON Schema/,
    ),
    expect.stringMatching(/^gateway\.yaml:18:24: error: servers\.three\.limits\.timeout: This is not a duration/),
  ]);
});

test("a syntax error is reported with its place, and without the text around it", () => {
  const problems = problemsOf("version: 1\nadmin: { token: canary-secret-value\nservers: {}\n");
  expect(problems[0]).toMatch(/^gateway\.yaml:\d+:\d+: error: This is not valid YAML/);
  expect(problems.join("\n")).not.toContain("canary");
});

test("a name that is used twice in one object is an error", () => {
  expect(problemsOf("version: 1\nversion: 1\n")[0]).toMatch(/^gateway\.yaml:2:1: error: This name is used twice/);
});

test("a credential in the file is accepted with a warning that does not show it", () => {
  const text = `${WEATHER}    credentials: { key: { bearer: canary-literal } }\n`;
  const { config, problems } = readConfig(text, SOURCES);
  expect(config).toBeDefined();
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({
    severity: "warning",
    path: ["servers", "weather", "credentials", "key", "bearer"],
  });
  expect(JSON.stringify(problems)).not.toContain("canary-literal");
});

test("a credential of the wrong type is an error that does not show it", () => {
  const text = `${WEATHER}    credentials: { key: { bearer: 123456789 } }\n`;
  const lines = readConfig(text, SOURCES).problems.map(describeProblem).join("\n");
  expect(lines).toContain("servers.weather.credentials.key");
  expect(lines).not.toContain("123456789");
});

test("references to secrets are no error, because they may be set while the gateway runs", () => {
  expect(problemsOf(`${WEATHER}    credentials: { key: { bearer: "\${secret:stripe}" } }\n`)).toEqual([]);
});

test("credentials of each caller must be secrets", () => {
  const text = `${WEATHER}    credentials: { key: { bearer: "\${env:TOKEN}", perUser: true } }\n`;
  expect(problemsOf(text).join("\n")).toContain("With `perUser`, the value is a secret of each caller");
});

test.each([
  ["Authorization", "It authenticates callers to the gateway"],
  ["cookie", "It authenticates callers to the gateway"],
  ["DPoP", "It authenticates callers to the gateway"],
  ["Proxy-Authorization", "It authenticates callers to the gateway"],
  ["X-Api-Key", "It authenticates callers to the gateway"],
  ["Host", "is never forwarded."],
  ["mcp-session-id", "is never forwarded."],
  ["Sec-Fetch-Mode", "is never forwarded."],
  ["content-length", "is never forwarded."],
  ["a b", "This is not the name of a header."],
])("the header %s cannot be forwarded, and the reason is said", (header, reason) => {
  const [problem] = problemsOf(`${WEATHER}    forwardHeaders: ["${header}"]\n`);
  expect(problem).toContain("servers.weather.forwardHeaders[0]");
  expect(problem).toContain(reason);
});

test("a header that neither authenticates callers nor belongs to a connection can be forwarded", () => {
  expect(problemsOf(`${WEATHER}    forwardHeaders: [x-tenant, X-Api-Version]\n`)).toEqual([]);
});

test("no argument can be a part of the host", () => {
  const text = WEATHER.replace("https://wttr.in/{city}", "https://{city}.example.com/");
  expect(problemsOf(text)[0]).toContain("No argument can change scheme, host or port");
});

test("a URL with a password is refused", () => {
  const text = WEATHER.replace("https://wttr.in", "https://user:canary-password@wttr.in");
  expect(problemsOf(text)[0]).toContain("A URL must not contain credentials");
  expect(problemsOf(text)[0]).not.toContain("canary");
});

test("a URL may refer to the environment", () => {
  expect(problemsOf(WEATHER.replace("https://wttr.in", "https://${env:TOKEN}.example.com"))).toEqual([]);
  expect(problemsOf(WEATHER.replace("https://wttr.in", "https://${env:ABSENT}"))[0]).toContain(
    "${env:ABSENT} is not set",
  );
});

test("an upstream has either a command or a URL", () => {
  const both = "version: 1\nservers:\n  s:\n    upstreams: { a: { command: x, url: http://y/ }, b: {} }\n";
  expect(problemsOf(both).filter((line) => line.includes("either `command`"))).toHaveLength(2);
});

test("a listener for other machines needs the names by which it is called", () => {
  expect(problemsOf("version: 1\nlisten: { host: 0.0.0.0 }\nservers: {}\n")[0]).toContain("allowedHosts");
});

test("an OpenAPI document that does not exist is an error", () => {
  const text = "version: 1\nservers:\n  s:\n    openapi: { document: ./absent.yaml }\n";
  expect(problemsOf(text)[0]).toMatch(
    /^gateway\.yaml:4:26: error: servers\.s\.openapi\.document: There is no such file/,
  );
});

test("anchors and merge keys of YAML work", () => {
  const text = `version: 1
x: &limits { perMinute: 5 }
`;
  expect(problemsOf(text).join("\n")).toContain("x: unknown property");
  const merged = `${WEATHER}    limits: &l { perMinute: 5 }
  other:
    limits: { <<: *l, concurrent: 2 }
    tools: {}
`;
  expect(readConfig(merged, SOURCES).config?.servers?.["other"]?.limits).toEqual({ perMinute: 5, concurrent: 2 });
});

test("aliases that multiply into something huge are refused", () => {
  const bomb = [
    "a: &a [x,x,x,x,x,x,x,x,x]",
    ..."bcdefghi".split("").map((name, index) => {
      const before = String.fromCodePoint(97 + index);
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`;
    }),
  ].join("\n");
  expect(problemsOf(bomb)[0]).toContain("error");
});

test("a configuration that is no text throws one error with all problems", () => {
  expect(() => expectConfig({ version: 2, servers: { "a/b": {} } }, SOURCES)).toThrow(/version[^]*servers/);
  expect(() => expectServerConfig("Bad", { status: "on" }, SOURCES, { version: 1 })).toThrow(/slug[^]*status/);
  expect(expectServerConfig("good", { tools: {} }, SOURCES, { version: 1 })).toEqual([]);
});

test("no text crashes the reader, and none is accepted without a version", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const { config, problems } = readConfig(text, SOURCES, "f");
      expect(config).toBeUndefined();
      expect(problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});

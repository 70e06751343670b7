import { describe, expect, test } from "vitest";
import { messagesOf } from "../problems-of.ts";

/** The problems of a server with one credential, without the place of the server. */
function problemsOf(credential: object, env: Record<string, string> = {}): readonly string[] {
  const server = { auth: { apiKeys: true }, credentials: { k: credential } };
  return messagesOf({ version: 1, servers: { s: server } }, env).map((line) =>
    line.replace("servers.s.credentials.k", "k"),
  );
}

const ENV = { LONG: "a-long-enough-value", SHORT: "1234567" };
const TOKEN_URL = "https://login.example/token";

/** Each text of each kind of credential: its place, and a credential that has it there. */
const TEXTS: readonly (readonly [string, (text: string) => object])[] = [
  ["bearer", (text) => ({ bearer: text })],
  ["apiKey", (text) => ({ apiKey: text, in: "header", name: "x-key" })],
  ["basic.username", (text) => ({ basic: { username: text, password: "${env:LONG}" } })],
  ["basic.password", (text) => ({ basic: { username: "ada", password: text } })],
  ["headers.x-one", (text) => ({ headers: { "x-one": text, "x-two": "${env:LONG}" } })],
  ["headers.x-two", (text) => ({ headers: { "x-one": "${env:LONG}", "x-two": text } })],
  [
    "clientCredentials.clientId",
    (text) => ({ clientCredentials: { tokenUrl: TOKEN_URL, clientId: text, clientSecret: "${env:LONG}" } }),
  ],
  [
    "clientCredentials.clientSecret",
    (text) => ({ clientCredentials: { tokenUrl: TOKEN_URL, clientId: "me", clientSecret: text } }),
  ],
];
const NAMES = ["basic.username", "clientCredentials.clientId"];

describe.each(TEXTS)("the text at %s of a credential", (place, withText) => {
  test("may be a reference that is set, or a secret that is looked up later", () => {
    expect(problemsOf(withText("${env:LONG}"), ENV)).toEqual([]);
    expect(problemsOf(withText("${secret:later}"), ENV)).toEqual([]);
  });

  test("is an error at its place if its reference is not set, or is none", () => {
    expect(problemsOf(withText("${env:GONE}"), ENV)).toEqual([
      expect.stringContaining(`error: k.${place}: \${env:GONE}`),
    ]);
    expect(problemsOf(withText("${evn:LONG}"), ENV)).toEqual([
      expect.stringContaining(`error: k.${place}: A reference is`),
    ]);
  });

  test("is warned of if it is in the file itself or short, unless it only names somebody", () => {
    const isName = NAMES.includes(place);
    const expected = (text: string): unknown[] =>
      isName ? [] : [expect.stringContaining(`warning: k.${place}: ${text}`)];
    expect(problemsOf(withText("a-literal-in-the-file"), ENV)).toEqual(
      expected("This credential is in the file itself"),
    );
    expect(problemsOf(withText("${env:SHORT}"), ENV)).toEqual(expected("This credential has fewer than 8 characters"));
  });

  test("makes a credential of each caller if it is a secret", () => {
    expect(problemsOf({ ...withText("${secret:of-caller}"), perUser: true }, ENV)).toEqual([]);
    expect(problemsOf({ ...withText("${env:LONG}"), perUser: true }, ENV)).toEqual([
      expect.stringContaining("error: k: With `perUser`, the value is a secret of each caller"),
    ]);
  });
});

test("a name of a header or a parameter that cannot be sent is an error at the name", () => {
  const value = "${env:LONG}";
  expect(problemsOf({ headers: { "x-fine": value, "not fine": value } }, ENV)).toEqual([
    expect.stringContaining('error: k.headers["not fine"]: '),
  ]);
  expect(problemsOf({ apiKey: value, in: "header", name: "not fine" }, ENV)).toEqual([
    expect.stringContaining("error: k.name: "),
  ]);
});

test("a key in a query is warned of, and one in a header or a cookie is not", () => {
  const withPlace = (place: string): object => ({ apiKey: "${env:LONG}", in: place, name: "key" });
  expect(problemsOf(withPlace("query"), ENV)).toEqual([
    expect.stringContaining("warning: k: A key in the query may end up in the logs of others"),
  ]);
  for (const place of ["header", "cookie"]) expect(problemsOf(withPlace(place), ENV)).toEqual([]);
});

test("the URLs of a credential must be ones that can be visited", () => {
  const tokens = { clientId: "me", clientSecret: "${env:LONG}" };
  expect(problemsOf({ clientCredentials: { ...tokens, tokenUrl: "ftp://login.example" } }, ENV)).toEqual([
    expect.stringContaining("error: k.clientCredentials.tokenUrl: This is not a URL to call"),
  ]);
  expect(problemsOf({ clientCredentials: { ...tokens, tokenUrl: "http://10.0.0.1/token" } }, ENV)).toEqual([
    expect.stringContaining("error: k.clientCredentials.tokenUrl: "),
  ]);
  expect(problemsOf({ bearer: "${secret:a}", perUser: true, connectUrl: "nowhere" }, ENV)).toEqual([
    expect.stringContaining("error: k.connectUrl: This is not a URL to call"),
  ]);
  // A person's browser goes there, not the gateway.
  expect(problemsOf({ bearer: "${secret:a}", perUser: true, connectUrl: "http://10.0.0.1/" }, ENV)).toEqual([]);
});

test("a tool that names no credential of its server is told which there are, or which is near", () => {
  const toolWith = (credential: string, credentials: object): readonly string[] =>
    messagesOf(
      {
        version: 1,
        servers: {
          s: {
            credentials,
            tools: { t: { description: "d", request: { method: "GET", url: "https://x.example/" }, credential } },
          },
        },
      },
      ENV,
    ).filter((line) => line.includes("tools.t"));
  const credentials = { weather: { bearer: "${env:LONG}" }, b: { bearer: "${env:LONG}" } };
  const place = "error: servers.s.tools.t.credential: There is no credential of this name; ";
  expect(toolWith("weather", credentials)).toEqual([]);
  expect(toolWith("none", {})).toEqual([]);
  expect(toolWith("wether", credentials)).toEqual([`${place}did you mean "weather"?`]);
  expect(toolWith("something-else", credentials)).toEqual([`${place}\`credentials\` has weather, b.`]);
  expect(toolWith("something-else", {})).toEqual([`${place}\`credentials\` has nothing.`]);
  expect(toolWith("toString", credentials)).toEqual([`${place}\`credentials\` has weather, b.`]);
});

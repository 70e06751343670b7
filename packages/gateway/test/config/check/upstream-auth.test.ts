import { expect, test } from "vitest";
import { describeProblem } from "../../../src/config/problem.ts";
import { readConfig } from "../../../src/config/load-config.ts";

/** The problems of a configuration whose server has one upstream with these lines, each with its line. */
function problemsOf(
  upstream: string,
  top = "",
  env: Record<string, string> = { SECRET: "secret-of-a-client", A: "https://a.example" },
): string[] {
  const text = `version: 1
${top}
servers:
  s:
    auth: { apiKeys: true }
    upstreams:
      u:
        url: https://notes.example/mcp
${upstream.replaceAll(/^/gm, "        ")}
`;
  return readConfig(text, { env, folder: "." }).problems.map((problem) => describeProblem(problem));
}

const PUBLIC = "listen: { publicUrl: https://mcp.example.com }";

test("All ways to log in at an upstream are accepted", () => {
  const client = "id: c, issuer: https://login.example";
  expect(problemsOf("auth: { oauth: {} }", PUBLIC)).toEqual([]);
  expect(problemsOf("auth: { oauth: { shared: true } }", PUBLIC)).toEqual([]);
  expect(problemsOf('auth: { bearer: "${env:SECRET}" }')).toEqual([]);
  expect(problemsOf(`auth: { clientCredentials: { ${client}, secret: "\${env:SECRET}" } }`)).toEqual([]);
  expect(problemsOf(`auth: { workload: { issuer: https://login.example, assertion: "\${env:SECRET}" } }`)).toEqual([]);
  expect(
    problemsOf(
      `perUser: true\nauth: { enterprise: { idp: { ${client} }, client: { ${client} }, idToken: "\${secret:id}" } }`,
    ),
  ).toEqual([]);
});

test("Logins of people need the public URL of the gateway, and callers that are told apart", () => {
  expect(problemsOf("auth: { oauth: {} }")).toEqual([
    expect.stringMatching(/^9:24: error: servers\.s\.upstreams\.u\.auth\.oauth: .*listen\.publicUrl/) as string,
  ]);
  const anonymous = `version: 1\n${PUBLIC}\nservers: { s: { upstreams: { u: { url: https://a.example, auth: { oauth: {} } } } } }`;
  const problems = readConfig(anonymous, { env: {}, folder: "." }).problems.map(({ message }) => message);
  expect(problems).toEqual([expect.stringContaining("callers must be told apart") as string]);
  const postgres = `${PUBLIC}\nanalytics: { store: postgres, url: "\${env:A}" }`;
  expect(problemsOf("auth: { oauth: {} }", postgres)).toEqual([
    expect.stringContaining("warning: analytics.store: TOOLWIRE_GATEWAY_KEYS is not set") as string,
    expect.stringContaining("oauth: Tokens are kept sealed") as string,
  ]);
});

test.each([
  ["auth: { clientCredentials: { id: c, issuer: https://login.example } }", /`secret` or, better, a private `key`/],
  ['auth: { clientCredentials: { id: c, issuer: http://login.example, secret: "${env:SECRET}" } }', /https:\/\//],
  ['auth: { clientCredentials: { id: c, issuer: https://login.example, secret: "${env:GONE}" } }', /GONE/],
  [
    "auth: { clientCredentials: { id: c, issuer: https://login.example, secret: in-the-file } }",
    /warning: .*in the file itself/,
  ],
  ['auth: { bearer: "${env:SECRET}" }\nheaders: { Authorization: x }', /`auth` sends the header/],
  [
    "auth: { enterprise: { idp: { id: c, issuer: https://i.example }, client: { id: c, issuer: https://i.example } } }",
    /idToken/,
  ],
  ["auth: { oauth: { client: { id: c } } }", /names the `issuer`/],
  ["auth: { oauth: { pkce: assume } }", /needs a `client` with an `issuer`/],
  ["perUser: true\nauth: { oauth: { shared: true } }", /choose/],
])("%s is refused, or warned of", (upstream, expected) => {
  expect(problemsOf(upstream, PUBLIC)).toEqual([expect.stringMatching(expected) as string]);
});

test("A secret without its issuer is refused, and not shown", () => {
  const problems = problemsOf("auth: { clientCredentials: { id: c, secret: a-secret-in-the-file } }").join();
  expect(problems).toContain("clientCredentials.issuer: missing required field");
  expect(problems).not.toContain("a-secret-in-the-file");
});

test("A public URL has TLS, or is on this machine, and no path", () => {
  const check = (url: string): string[] => problemsOf("headers: {}", `listen: { publicUrl: ${url} }`);
  expect(check("http://127.0.0.1:8080")).toEqual([]);
  expect(check("http://localhost:8080")).toEqual([]);
  expect(check('"${env:A}"')).toEqual([]);
  expect(check("http://mcp.example.com")).toEqual([expect.stringMatching(/^2:\d+: error: .*https/) as string]);
  expect(check("https://mcp.example.com/gateway")).toEqual([expect.stringContaining("no path") as string]);
  expect(check("https://user:pass@mcp.example.com")).toHaveLength(1);
});

import { describe, expect, test } from "vitest";
import { redactConfig, restoreHidden } from "../../src/admin/redact-config.ts";
import { startAdmin } from "./fixture/start-admin.ts";

/** A server in front of a program with these arguments. */
function withArguments(...args: readonly string[]): object {
  return { upstreams: { docs: { command: "docker", args } } };
}

test("secrets-appear-nowhere: credentials in the arguments of a command are hidden, in every form in which programs take them", async () => {
  const { send } = await startAdmin({ machineAccess: true });
  const canaries = Array.from({ length: 9 }, (_, index) => `canary-of-argument-${index}`);
  const made = await send(
    "PUT",
    "servers/docs",
    withArguments(
      "run",
      "--token",
      `${canaries[0]}`,
      `--api-key=${canaries[1]}`,
      "-e",
      `GITHUB_TOKEN=${canaries[2]}`,
      `--env=API_KEY=${canaries[3]}`,
      "--header",
      `Authorization: Bearer ${canaries[4]}`,
      `--header=X-Api-Key:${canaries[5]}`,
      "--config",
      JSON.stringify({ apiKey: canaries[6] }),
      `https://user:${canaries[7]}@example.com/mcp?key=${canaries[8]}`,
      "--verbose",
      "https://example.com/mcp",
    ),
  );
  expect(made.status).toBe(201);
  const reads = await Promise.all(["servers/docs", "upstreams", "config"].map((path) => send("GET", path)));
  for (const { text } of [made, ...reads]) {
    for (const canary of canaries) expect(text).not.toContain(canary);
  }
  expect(made.json.config.upstreams.docs.args).toEqual([
    "run",
    "--token",
    "[secret]",
    "--api-key=[secret]",
    "-e",
    "GITHUB_TOKEN=[secret]",
    "--env=API_KEY=[secret]",
    "--header",
    "Authorization: [secret]",
    "--header=X-Api-Key:[secret]",
    "--config",
    "[secret]",
    "https://[secret]@example.com/mcp?key=[secret]",
    "--verbose",
    "https://example.com/mcp",
  ]);
});

test("lists that are no arguments are shown as they are, though scopes may be called after secrets", () => {
  const config = { auth: { oauth: { scopes: ["secrets:read", "key=all"] } }, access: [{ tools: ["-token", "x"] }] };
  expect(redactConfig(config)).toEqual(config);
});

test("arguments that are sent as they were shown keep their values", async () => {
  const { send, gateway } = await startAdmin({ machineAccess: true });
  const args = ["--token", "first-value", "-e", "API_KEY=second-value", "--header", "Authorization: Bearer third"];
  const made = await send("PUT", "servers/docs", withArguments(...args));
  const { command } = made.json.config.upstreams.docs;
  const shown = [...made.json.config.upstreams.docs.args, "--verbose"];
  const again = { upstreams: { docs: { command, args: shown } } };
  expect((await send("PUT", "servers/docs", again, { "if-match": '"1"' })).status).toBe(200);
  expect(gateway.server("docs")?.config.upstreams?.["docs"]?.args).toEqual([...args, "--verbose"]);
});

test("a hidden argument that was moved behind another flag is refused: it would become another credential", async () => {
  const { send, gateway } = await startAdmin({ machineAccess: true });
  const args = ["--token", "value-of-the-token", "--key", "value-of-the-key"];
  await send("PUT", "servers/docs", withArguments(...args));
  const moved = await send("PUT", "servers/docs", withArguments("--key", "[secret]"), { "if-match": '"1"' });
  expect(moved.status).toBe(400);
  expect(moved.json.error.message).toMatch(/^upstreams\.docs\.args\[1\] is "\[secret\]"/);
  expect(gateway.server("docs")?.config.upstreams?.["docs"]?.args).toEqual(args);
});

test("a text of a schema that looks like a hidden one is kept: nothing is hidden there", async () => {
  const { send, gateway } = await startAdmin();
  const input = {
    type: "object",
    properties: { note: { type: "string", description: "Replaces words by [secret]." } },
  };
  const tool = { description: "Writes", request: { method: "POST", url: "https://api.example.com/notes" }, input };
  expect((await send("PUT", "servers/notes", { tools: { write: tool } })).status).toBe(201);
  expect(gateway.server("notes")?.config.tools?.["write"]?.input).toEqual(input);
});

describe("what is hidden", () => {
  test.each([
    "bearer",
    "apiKey",
    "username",
    "password",
    "clientId",
    "clientSecret",
    "secret",
    "assertion",
    "idToken",
    "refreshToken",
    "token",
    "stateKey",
    "env",
    "headers",
    "basic",
  ])("The texts of %s are, however deep they are", (name) => {
    expect(redactConfig({ [name]: "x" })).toEqual({ [name]: "[secret]" });
    expect(redactConfig({ a: [{ [name]: { b: ["x", 5, ""] } }] })).toEqual({
      a: [{ [name]: { b: ["[secret]", 5, ""] } }],
    });
  });

  test("References stay, alone, behind the name of a scheme, and side by side; what is mixed with a text is hidden", () => {
    for (const text of [
      "${env:A}",
      "Bearer ${secret:a}",
      "token ${file:x}",
      "${secret:a}:${env:B}",
      "Basic ${env:A}",
    ]) {
      expect(redactConfig({ bearer: text })).toEqual({ bearer: text });
    }
    for (const text of ["x${env:A}", "${env:A}x", "Digest ${env:A}", "${other:A}", "${env:}", "$${env:A}"]) {
      expect(redactConfig({ bearer: text })).toEqual({ bearer: "[secret]" });
    }
  });

  test("A private key is, and an argument that is called so is not", () => {
    expect(redactConfig({ auth: { clientCredentials: { key: "x", issuer: "https://i" } } })).toEqual({
      auth: { clientCredentials: { key: "[secret]", issuer: "https://i" } },
    });
    expect(redactConfig({ request: { params: { key: "query" } } })).toEqual({ request: { params: { key: "query" } } });
  });

  test("Of the headers of a request, those whose names say so are", () => {
    const headers = { accept: "a", "x-api-key": "b", Authorization: "c", cookie: "d", "x-secret": "e", "x-trace": "f" };
    expect(redactConfig({ request: { method: "GET", headers } })).toEqual({
      request: {
        method: "GET",
        headers: {
          accept: "a",
          "x-api-key": "[secret]",
          Authorization: "[secret]",
          cookie: "[secret]",
          "x-secret": "[secret]",
          "x-trace": "f",
        },
      },
    });
    expect(redactConfig({ request: { headers: "odd" } })).toEqual({ request: {} });
  });

  test("The user and the secret parameters of a URL are, and the address of a database as a whole", () => {
    const urlOf = (url: string): unknown => (redactConfig({ a: { url } }) as { a: { url: unknown } }).a.url;
    expect(urlOf("https://u:p@x.example/a?q=1&token=t&key=#f")).toBe(
      "https://[secret]@x.example/a?q=1&token=[secret]&key=#f",
    );
    expect(urlOf("wss://x.example/?api_key=${env:A}")).toBe("wss://x.example/?api_key=${env:A}");
    expect(urlOf("https://x.example/p@th?q=a@b")).toBe("https://x.example/p@th?q=a@b");
    expect([urlOf("postgres://u:p@db/x"), urlOf("postgresql://db/x")]).toEqual(["[secret]", "[secret]"]);
    expect([urlOf("redis://:p@db:6379"), urlOf("rediss://db")]).toEqual(["[secret]", "[secret]"]);
    expect(redactConfig({ note: "no url ?token=t" })).toEqual({ note: "no url ?token=t" });
  });

  test("Schemas and documents are shown whole, and a text in their place is not taken for one", () => {
    const config = { input: { properties: { token: { default: "x" } } }, document: { headers: { a: "x" } } };
    expect(redactConfig(config)).toEqual(config);
    expect(redactConfig({ document: "https://u:p@x.example/openapi.json" })).toEqual({
      document: "https://[secret]@x.example/openapi.json",
    });
  });

  test("What is deeper than any configuration is hidden as a whole", () => {
    let deep: unknown = "x";
    for (let depth = 0; depth < 70; depth += 1) deep = { a: deep };
    let shown: unknown = redactConfig(deep);
    let depth = 0;
    while (typeof shown === "object" && shown !== null) {
      shown = Reflect.get(shown, "a");
      depth += 1;
    }
    expect([depth, shown]).toEqual([65, "[secret]"]);
  });
});

describe("what was hidden and is written back", () => {
  const current = {
    credentials: { a: { bearer: "one" }, b: { bearer: "two" } },
    tools: { t: { request: { url: "https://x/?key=k", headers: { accept: "a", "x-key": "h" } } } },
    list: [{ token: "x" }, { token: "y" }],
  };

  test("It becomes what it was, at its own place alone", () => {
    const shown = redactConfig(current) as typeof current;
    expect(restoreHidden(shown, current)).toEqual(current);
    expect(restoreHidden({ credentials: { a: shown.credentials.a } }, current)).toEqual({
      credentials: { a: { bearer: "one" } },
    });
    expect(restoreHidden({ ...shown, credentials: { a: { bearer: "new" } } }, current)).toMatchObject({
      credentials: { a: { bearer: "new" } },
    });
  });

  test.each<[string, unknown]>([
    ["credentials.c.bearer", { credentials: { c: { bearer: "[secret]" } } }],
    ["tools.t.request.url", { tools: { t: { request: { url: "https://evil/?key=[secret]" } } } }],
    ["list[2].token", { list: [{ token: "z" }, { token: "z" }, { token: "[secret]" }] }],
    ["credentials.toString", { credentials: { toString: "[secret]" } }],
    ["The configuration", "[secret]"],
  ])("%s is refused where it stands for nothing", (place, next) => {
    expect(() => restoreHidden(next, current)).toThrow(`${place} is "[secret]"`);
  });

  test("Values that are no texts, and schemas that look hidden, pass as they are", () => {
    const next = { a: 5, b: null, c: [true], tools: { t: { input: { description: "[secret]" } } } };
    expect(restoreHidden(next, undefined)).toEqual(next);
  });
});

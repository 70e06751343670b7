import { expect, test } from "vitest";
import type { GatewayConfig } from "../../../src/config/config.ts";
import { checkShape, parsePath, readConfigSchema } from "../../../src/config/check/shape.ts";

const TOOL = { description: "d", request: { method: "GET", url: "https://x/" } } as const;

const CLIENT = {
  id: "c",
  issuer: "https://x/",
  secret: "${secret:s}",
  key: "${secret:k}",
  algorithm: "RS256",
  keyId: "k",
} as const;

/** Uses every member that the types have, so that the compiler and the schema are asked about the same thing. */
const EVERYTHING: Required<GatewayConfig> = {
  version: 1,
  listen: {
    host: "127.0.0.1",
    port: 1,
    publicUrl: "https://a",
    allowedHosts: ["a"],
    allowedOrigins: ["https://a"],
    workers: "auto",
    drain: "5s",
  },
  cluster: { engine: "redis", url: "${env:A}", prefix: "p", schema: "s" },
  admin: {
    host: "127.0.0.1",
    port: 2,
    token: "${env:A}",
    publicUrl: "https://a",
    login: {
      name: "n",
      issuer: "https://x/",
      client: { id: "c", secret: "${secret:s}" },
      scopes: ["s"],
      allow: { subjects: ["a"], emails: ["a@b"], claims: { groups: ["g"] } },
    },
    allowedHosts: ["a"],
    machineAccess: true,
  },
  analytics: {
    store: "postgres",
    path: "data",
    url: "${env:A}",
    retention: { calls: "30d", hourly: "400d" },
    maxSpoolBytes: 8_388_608,
    capture: true,
  },
  network: { allow: ["10.0.0.0/8"] },
  serverCards: { namespace: "com.example" },
  stateKey: "${env:A}",
  servers: {
    auth0: { auth: { oauth: { preset: { auth0: { domain: "a.example" } } } } },
    clerk: { auth: { oauth: { preset: { clerk: { domain: "a.example", boundBy: "issuer" } } } } },
    cognito: { auth: { oauth: { preset: { cognito: { region: "r", userPool: "p" } } } } },
    entra: { auth: { oauth: { preset: { entra: { tenant: "t", audience: "a" } } } } },
    google: { auth: { oauth: { preset: { google: { clientIds: "c" } } } } },
    keycloak: { auth: { oauth: { preset: { keycloak: { url: "https://x/", realm: "r" } } } } },
    okta: { auth: { oauth: { preset: { okta: { domain: "a.example", audience: "a" } } } } },
    supabase: { auth: { oauth: { preset: { supabase: { url: "https://x/", boundBy: "issuer" } } } } },
    workos: { auth: { oauth: { preset: { workos: { domain: "a.example" } } } } },
    tokens: {
      auth: {
        oauth: {
          issuer: "https://x/",
          audience: ["a"],
          boundBy: "audience",
          jwksUri: "https://x/jwks",
          algorithms: ["ES256"],
          introspection: { endpoint: "https://x/i", client: { id: "c", secret: "${secret:s}", method: "post" } },
          scopes: ["s"],
          implies: { a: ["b"] },
          dpop: "accepted",
          requiredClaims: { token_use: "access" },
          claims: { scopes: "scp", subject: "oid", clientId: "cid" },
        },
        apiKeys: true,
      },
    },
    s: {
      status: "paused",
      title: "t",
      description: "d",
      instructions: "i",
      card: { description: "d" },
      groups: {
        g: {
          title: "t",
          description: "d",
          instructions: "i",
          upstreams: ["a"],
          tools: ["*"],
          prompts: ["*"],
          resources: ["*"],
          groups: [],
        },
      },
      auth: { apiKeys: true },
      limits: { perMinute: 1, concurrent: 1, timeout: "30s", retries: 1 },
      access: [{ principals: ["*"], scopes: ["s"], tools: ["*"], allow: true }],
      tools: {
        t: {
          title: "t",
          description: "d",
          status: "draft",
          request: {
            method: "POST",
            url: "https://x/",
            params: {
              a: "query",
              b: { in: "query", name: "n", style: "form", explode: true, allowReserved: true },
              c: { in: "body", pointer: "/c" },
            },
            body: { type: "application/json", argument: "x" },
            headers: { x: "y" },
          },
          input: { type: "object" },
          response: { select: "a", as: "auto", fields: true, maxBytes: 1, maxText: 1 },
          annotations: {
            title: "t",
            readOnlyHint: true,
            destructiveHint: true,
            idempotentHint: true,
            openWorldHint: true,
          },
          credential: "bearer",
          scopes: ["s"],
          limits: { timeout: 5 },
        },
      },
      openapi: {
        document: "./d.yaml",
        include: { operations: ["a"], tags: ["a"], methods: ["GET"], paths: ["/a"] },
        exclude: {},
        baseUrl: "https://x/",
        variables: { a: "b" },
        hosts: ["h"],
        arguments: "grouped",
        deprecated: true,
        names: "operationId",
        descriptions: "full",
        credential: "bearer",
      },
      upstreams: {
        u: {
          command: "c",
          args: ["a"],
          env: { A: "b" },
          cwd: ".",
          url: "https://x/",
          headers: { a: "b" },
          perUser: true,
          prefix: "p",
          tools: { include: ["a"], exclude: ["b"] },
          pin: true,
          response: { maxBytes: 1024, maxText: 100 },
          idleTimeout: "10m",
          timeout: "5s",
        },
        bearer: { auth: { bearer: "${secret:a}" } },
        machine: { auth: { clientCredentials: { ...CLIENT, scopes: ["s"], dpop: "auto", resource: "exact" } } },
        platform: { auth: { workload: { issuer: "https://x/", assertion: "${file:a}", id: "i", dpop: false } } },
        organization: {
          auth: {
            enterprise: {
              idp: { ...CLIENT, tokenEndpoint: "https://x/" },
              client: CLIENT,
              idToken: "${secret:a}",
              refreshToken: "${secret:b}",
              resource: false,
            },
          },
        },
        people: {
          auth: {
            oauth: {
              shared: true,
              client: { ...CLIENT, name: "n", metadataUrl: "https://x/c" },
              parameters: { audience: "a" },
              pkce: "assume",
              dpop: "required",
            },
          },
        },
      },
      overrides: { t: { status: "active", title: "t", description: "d", scopes: ["s"], limits: {} } },
      credentials: {
        bearer: { bearer: "${secret:a}", perUser: true, connectUrl: "https://x/" },
        key: { apiKey: "${secret:a}", in: "header", name: "X-Key", prefix: "Token " },
        basic: { basic: { username: "u", password: "" } },
        headers: { headers: { a: "b" } },
        oauth: {
          clientCredentials: {
            tokenUrl: "https://x/",
            clientId: "c",
            clientSecret: "s",
            scope: "s",
            audience: "a",
            resource: "r",
            authentication: "body",
          },
        },
        nothing: { none: true },
      },
      network: { allow: [] },
      forwardHeaders: ["x-a"],
      mode: "search",
      schemas: "portable",
      sessions: true,
      capture: true,
      unknownTool: "result",
    },
    open: { auth: "none", tools: { t: TOOL } },
  },
};

test("the published schema accepts everything that the types have", () => {
  expect(checkShape(EVERYTHING)).toEqual([]);
  expect(checkShape({ ...EVERYTHING, admin: false })).toEqual([]);
});

test("the types have everything that the published schema accepts", () => {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      used.add(name);
      visit(member);
    }
  };
  visit(EVERYTHING);
  const named: string[] = [];
  const collect = (schema: unknown): void => {
    if (typeof schema !== "object" || schema === null) return;
    const { properties } = schema as { readonly properties?: object };
    named.push(...Object.keys(properties ?? {}));
    for (const member of Object.values(schema)) collect(member);
  };
  collect(readConfigSchema());
  // Editors find the schema by this member of a file.
  expect(named.filter((name) => !used.has(name))).toEqual(["$schema"]);
});

test("every member of the published schema is explained, or its name says it all", () => {
  const { properties, $defs } = readConfigSchema() as {
    properties: Record<string, object>;
    $defs: Record<string, object>;
  };
  const tops = [...Object.entries(properties), ...Object.entries($defs)].filter(([name]) => name !== "$schema");
  expect(tops.filter(([, schema]) => !("description" in schema || "$ref" in schema)).map(([name]) => name)).toEqual([]);
});

test("a path of an issue is read back into its keys", () => {
  expect(parsePath('servers["my-weather"].access[2].tools["a\\"b"]')).toEqual([
    "servers",
    "my-weather",
    "access",
    2,
    "tools",
    'a"b',
  ]);
  expect(parsePath("")).toEqual([]);
});

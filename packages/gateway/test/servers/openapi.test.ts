import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OpenApiConfig } from "../../src/config/config.ts";
import { startLocal } from "../local-gateway.ts";
import { simulateApi } from "../simulated-api.ts";

/** A document of a shop, which names its own servers. */
function shop(servers: readonly string[], more: object = {}): OpenApiConfig["document"] & object {
  return {
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    servers: servers.map((url) => ({ url })),
    paths: {
      "/orders/{id}": {
        get: {
          operationId: "getOrder",
          summary: "Gets an order",
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "string" } },
            { name: "fields", in: "query", schema: { type: "array", items: { type: "string" } }, explode: false },
          ],
        },
      },
      "/orders": {
        post: {
          operationId: "createOrder",
          requestBody: {
            content: {
              "application/json": {
                schema: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] },
              },
            },
          },
        },
      },
      "/elsewhere": { servers: [{ url: "http://127.0.0.1:9/evil" }], get: { operationId: "elsewhere" } },
    },
    ...more,
  };
}

test("operations of a document are tools, with everything that hand-written ones have", async () => {
  await using api = await simulateApi(({ method, target, body }) => ({
    body: JSON.stringify({ method, target, body }),
  }));
  await using local = await startLocal({
    shop: {
      openapi: { document: shop([api.url]), baseUrl: `${api.url}/v1`, exclude: { operations: ["elsewhere"] } },
      overrides: { createOrder: { title: "Order", limits: { perMinute: 1 } } },
    },
  });
  expect(await local.list("shop")).toEqual(["get_order", "create_order"]);
  const got = await local.call("shop", "get_order", { id: "a/b", fields: ["x", "y"] });
  expect(got.isError).toBe(true);
  expect((await local.call("shop", "get_order", { id: "7", fields: ["x", "y"] })).text).toContain(
    '"/v1/orders/7?fields=x,y"',
  );
  expect((await local.call("shop", "create_order", { sku: "s1" })).text).toContain(String.raw`{\"sku\":\"s1\"}`);
  expect((await local.call("shop", "create_order", { sku: "s1" })).text).toContain("Rate limit of 1 calls a minute");
  expect((await local.call("shop", "get_order", {})).text).toContain("id: missing required field");
  expect(local.records.map(({ source, outcome }) => `${source} ${outcome}`)).toEqual([
    "openapi tool-error",
    "openapi ok",
    "openapi ok",
    "openapi rate-limited",
    "openapi invalid-arguments",
  ]);
  expect(local.gateway.server("shop")?.tools.map(({ listing }) => listing.title)).toContain("Order");
});

test("documents-choose-no-hosts: requests go to the configured host, whatever the document says", async () => {
  await using good = await simulateApi(() => ({ body: '"good"' }));
  await using evil = await simulateApi(() => ({ body: '"evil"' }));
  await using local = await startLocal({
    based: { openapi: { document: shop([evil.url, "javascript:alert(1)"]), baseUrl: good.url } },
    // Plain HTTP is used only if the configuration itself says so.
    hosted: { openapi: { document: shop([good.url]), hosts: [new URL(good.url).host] } },
    silent: { openapi: { document: shop([evil.url]) } },
  });
  expect(await local.list("based")).toEqual(["get_order", "create_order"]);
  expect(local.gateway.server("based")?.problems.join("\n")).toContain("/elsewhere");
  expect((await local.call("based", "get_order", { id: "1" })).text).toBe('"good"');
  expect((await local.call("based", "get_order", { id: "@evil.example/" })).isError).toBe(true);
  for (const slug of ["hosted", "silent"]) {
    expect(await local.list(slug)).toEqual([]);
    expect(local.gateway.server(slug)?.problems.join("\n")).toMatch(
      /no tools: .*a document does not choose where requests go.* \(GET \/orders\/\{id\}/,
    );
  }
  expect(evil.requests).toEqual([]);
  expect(good.requests.map(({ target }) => target)).toEqual(["/orders/1"]);
});

test("documents-choose-no-hosts: addresses that are not allowed are refused without a word about them", async () => {
  await using api = await simulateApi(() => ({}));
  await using local = await startLocal(
    { shop: { network: { allow: [] }, openapi: { document: shop([]), baseUrl: api.url } } },
    {},
  );
  const refused = await local.call("shop", "get_order", { id: "1" });
  expect(refused).toMatchObject({ isError: true, text: "Error: Upstream API address is not allowed" });
  expect(api.requests).toEqual([]);
  expect(local.events.map(({ message }) => message).join("\n")).toContain("127.0.0.1");
});

test("a credential is found by the name of the document's security scheme, or is the only one", async () => {
  await using api = await simulateApi(() => ({}));
  const secured = {
    components: {
      securitySchemes: {
        key: { type: "apiKey", in: "header", name: "X-Key" },
        token: { type: "http", scheme: "bearer" },
      },
    },
    security: [{ key: [] }],
  };
  const document = shop([], secured);
  const openapi = { document, baseUrl: api.url };
  await using local = await startLocal(
    {
      named: {
        openapi,
        credentials: { key: { apiKey: "${env:K}", in: "header", name: "X-Key" }, other: { bearer: "${env:K}" } },
      },
      only: { openapi, credentials: { whatever: { apiKey: "${env:K}", in: "header", name: "X-Key" } } },
      none: { openapi },
    },
    { options: { env: { K: "key-of-the-shop" } } },
  );
  for (const slug of ["named", "only"]) expect((await local.call(slug, "get_order", { id: "1" })).text).toBe("{}");
  expect(api.requests.map(({ headers }) => headers["x-key"])).toEqual(["key-of-the-shop", "key-of-the-shop"]);
  expect(api.requests.every(({ headers }) => headers["authorization"] === undefined)).toBe(true);
  // Without its credential, an operation is no tool: it is never called without.
  expect(await local.list("none")).toEqual([]);
  expect(local.gateway.server("none")?.problems.join("\n")).toMatch(/credential/);
});

test("a document comes from a file or from a URL, with a credential of its own", async () => {
  const folder = mkdtempSync(join(tmpdir(), "document-"));
  await using api = await simulateApi(({ target, headers }) => {
    if (target !== "/openapi.json") return {};
    return headers["authorization"] === "Bearer key-for-documents"
      ? { body: JSON.stringify(shop([])) }
      : { status: 403 };
  });
  writeFileSync(join(folder, "shop.json"), JSON.stringify(shop([])));
  await using local = await startLocal(
    {
      file: {
        openapi: { document: "./shop.json", baseUrl: api.url, include: { methods: ["GET"], paths: ["/orders/*"] } },
      },
      url: {
        openapi: {
          document: `${api.url}/openapi.json`,
          baseUrl: api.url,
          credential: "docs",
          include: { operations: ["get*"] },
        },
        credentials: { docs: { bearer: "${env:K}" } },
      },
    },
    { options: { folder, env: { K: "key-for-documents" } } },
  );
  expect(await local.list("file")).toEqual(["get_order"]);
  expect(await local.list("url")).toEqual(["get_order"]);
  await local.call("url", "get_order", { id: "1" });
  expect(api.requests.at(-1)?.headers["authorization"]).toBeUndefined();
});

test("overrides, access rules and filters mean an operation by its id as well as by the name of its tool", async () => {
  await using api = await simulateApi(() => ({}));
  await using local = await startLocal({
    ids: {
      openapi: { document: shop([]), baseUrl: api.url, include: { operations: ["getOrder", "create_order"] } },
      overrides: { createOrder: { title: "By id" }, get_order: { title: "By name" }, getOrder: { title: "Not this" } },
    },
    allowed: {
      openapi: { document: shop([]), baseUrl: api.url },
      access: [
        { tools: ["createOrder"], allow: false },
        { tools: ["*_order"], allow: true },
      ],
    },
    drafts: { openapi: { document: shop([]), baseUrl: api.url }, overrides: { getOrder: { status: "draft" } } },
    old: { openapi: { document: shop([]), baseUrl: api.url, names: "operationId" } },
  });
  const titles = local.gateway.server("ids")?.tools.map(({ listing }) => listing.title);
  expect(titles?.toSorted()).toEqual(["By id", "By name"]);
  expect(await local.list("allowed")).toEqual(["get_order"]);
  expect(await local.list("drafts")).toEqual(["create_order"]);
  expect(await local.list("old")).toEqual(["getOrder", "createOrder"]);
  expect(local.gateway.server("ids")?.problems.join("\n")).not.toContain("`include` does not name it");
});

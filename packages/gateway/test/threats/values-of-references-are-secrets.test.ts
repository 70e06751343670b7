import { connect } from "@toolwire/client";
import { createServer, prompt, RpcError, tool } from "@toolwire/server";
import { describe, expect, test } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { getTool, startLocal } from "../local-gateway.ts";
import { simulateApi } from "../simulated-api.ts";
import { overHttp } from "../upstreams/hosting.ts";

const ENV = {
  PATH_KEY: "canary-in-the-path-1",
  QUERY_KEY: "canary in  the\tquery&2",
  HEADER: "canary-in-a-header-3",
  PART: "canary-part-of-a-header-4",
};
const LITERAL = "canary-literal-header-5";
const CANARIES = [...Object.values(ENV), LITERAL];

/** The ways in which an API may write what it repeats. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  percent: encodeURIComponent,
  html: (text) => text.replaceAll(/[^\w.]/g, (char) => `&#${char.charCodeAt(0)};`),
  names: (text) => text.replaceAll("&", "&amp;").replaceAll(" ", "&nbsp;"),
  hex: (text) => Buffer.from(text).toString("hex"),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  folded: (text) =>
    (
      Buffer.from(text)
        .toString("base64")
        .match(/.{1,19}/g) ?? []
    ).join("\r\n"),
  unicode: (text) => Array.from(text, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  quoted: (text) => text.replaceAll(/[^\w.-]/g, (char) => `=${char.charCodeAt(0).toString(16).padStart(2, "0")}`),
};

function showsCanary(text: string): readonly string[] {
  const spellings = (canary: string): string[] => [
    ...Object.values(FORMS).map((write) => write(canary)),
    JSON.stringify(canary).slice(1, -1),
    canary.replaceAll(/\s+/g, " "),
  ];
  return CANARIES.filter((canary) => spellings(canary).some((spelling) => text.includes(spelling)));
}

/** An API that repeats all canaries that it was sent, in a form, in a kind of response. */
function repeatingApi(): ReturnType<typeof simulateApi> {
  return simulateApi(({ target, headers }) => {
    const [, kind = "", form = ""] = target.split("/");
    const sent = decodeURIComponent(target).replaceAll("+", " ") + Object.values(headers).join("\n");
    const seen = CANARIES.filter((canary) => sent.includes(canary));
    expect(seen).toEqual(CANARIES);
    const text = seen.map((canary) => `<${FORMS[form]?.(canary)}>`).join(" ");
    if (kind === "error") return { status: 400, body: JSON.stringify({ message: `No: ${text}` }) };
    if (kind === "image") return { body: `\0\u0001${text}`, headers: { "content-type": "image/png" } };
    return { body: JSON.stringify({ text }) };
  });
}

describe("secrets-appear-nowhere: values of references in URLs and fixed headers", () => {
  test.each(Object.keys(FORMS))(
    "are in no result, error, image or record if an API repeats them (%s)",
    async (form) => {
      await using api = await repeatingApi();
      const headers = { "X-One": "${env:HEADER}", "X-Two": "a ${env:PART} b", Authorization: `Token ${LITERAL}` };
      const toolAt = (kind: string, response?: object) => ({
        description: "Repeats",
        request: {
          method: "GET",
          url: `${api.url}/${kind}/${form}/\${env:PATH_KEY}`,
          headers,
          params: {},
        } as never,
        ...(response !== undefined && { response }),
      });
      const query = { keys: { apiKey: "${env:QUERY_KEY}", in: "query", name: "key" } } as const;
      const server = {
        capture: true,
        credentials: query,
        tools: { error: toolAt("error"), text: toolAt("text"), image: toolAt("image", { as: "auto" }) },
      };
      await using local = await startLocal({ s: server }, { options: { env: ENV } });
      let seen = "";
      for (const name of ["error", "text", "image"]) {
        const response = await local.post("s", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } });
        const text = await response.text();
        expect(text).toContain("[secret]");
        seen += text;
      }
      expect(api.requests).toHaveLength(3);
      expect(showsCanary(seen)).toEqual([]);
      for (const [block] of seen.matchAll(/"data":"[^"]*"/g)) expect(block).toBe("");
      expect(showsCanary(JSON.stringify([local.records, local.events]))).toEqual([]);
    },
  );
});

test("secrets-appear-nowhere: a document that repeats what it was fetched with lists none of it", async () => {
  await using api = await simulateApi(({ target }) => ({
    body: JSON.stringify({
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      paths: {
        "/x": {
          get: { operationId: "get_x", summary: `Fetched from ${target}`, responses: { 200: { description: "d" } } },
        },
      },
    }),
  }));
  const openapi = { document: `${api.url}/\${env:PATH_KEY}/openapi.json`, baseUrl: api.url };
  await using local = await startLocal({ s: { openapi } }, { options: { env: ENV } });
  const response = await local.post("s", { jsonrpc: "2.0", id: 1, method: "tools/list" });
  const text = await response.text();
  expect(text).toContain("Fetched from /[secret]/openapi.json");
  expect(showsCanary(text)).toEqual([]);
});

test("secrets-appear-nowhere: the URL of an upstream, parts of its headers, and errors of completions", async () => {
  let target = "";
  const upstream = createServer({
    name: "repeats",
    version: "1.0.0",
    tools: {
      seen: tool({ run: (_, ctx) => `${target} ${ctx.header("x-two")} ${ctx.header("x-api-key")}` }),
    },
    prompts: {
      city: prompt({
        arguments: {
          city: {
            complete(_, ctx) {
              throw new RpcError(-32_000, `No: ${ctx.header("x-two")}`, { data: [ctx.header("x-api-key")] });
            },
          },
        },
        get: () => "Hello",
      }),
    },
  });
  const url = new URL(await overHttp(upstream));
  target = `${url.pathname}?key=${ENV.PATH_KEY}`;
  const headers = { "X-Two": "a ${env:PART} b", "X-Api-Key": LITERAL };
  const upstreams = { one: { url: `${url.href}?key=\${env:PATH_KEY}`, headers } };
  await using local = await startLocal({ s: { upstreams } }, { options: { env: ENV } });
  await using client = await connect(`${local.gateway.url}/mcp/s`);
  const result = await client.callTool("seen");
  expect(result.content).toEqual([{ type: "text", text: `${url.pathname}?key=[secret] [secret] [secret]` }]);
  const failure = await client
    .complete({ type: "ref/prompt", name: "city" }, { name: "city", value: "O" })
    .catch((error: unknown) => error as RpcError);
  expect(JSON.stringify([(failure as RpcError).message, (failure as RpcError).data])).toBe(
    '["No: [secret]",["[secret]"]]',
  );
});

test("a header with an API key of the gateway is not forwarded, whatever a stored server says", async () => {
  await using api = await simulateApi(() => ({}));
  await using local = await startLocal({});
  const forwardHeaders = ["X-Api-Key", "authorization", "Cookie", "X-Tenant"];
  const config = { forwardHeaders, auth: { apiKeys: true }, tools: { get: getTool(`${api.url}/x`) } } as const;
  await local.gateway.storage.servers.put("stored", config, 0);
  const { authorization = "" } = await local.key();
  await eventually(async () => {
    const key = authorization.replace("Bearer ", "");
    const given = { "x-api-key": key, cookie: "a=b", "x-tenant": "t1" };
    expect(await local.call("stored", "get", {}, given)).toMatchObject({ status: 200, text: "{}" });
  });
  const [request] = api.requests;
  expect(request?.headers["x-tenant"]).toBe("t1");
  expect(JSON.stringify(request)).not.toContain("twk_");
  expect(request?.headers).not.toHaveProperty("cookie");
});

import { UsageError } from "@toolwire/protocol";
import { request as httpRequest } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HttpRequestAdapter } from "../../../src/bindings/http/adapter.ts";
import { HttpEndpoint } from "../../../src/bindings/http/endpoint.ts";
import { keepAliveTogether } from "../../../src/bindings/http/events.ts";
import { bindingOf } from "../../../src/binding.ts";
import {
  type Admission,
  createHttpHandler,
  createMetadataHandler,
  createNodeHandler,
  serveHttp,
} from "../../../src/http.ts";
import { createServer, type ServerDiagnostic, tool } from "../../../src/index.ts";
import { as, fakeAuth, METADATA_PATH, METADATA_TEXT } from "../../fake-auth.ts";
import { BOTH, Events, initialize, LegacyClient, modern, post, readJson } from "./client.ts";
import { PLATFORMS } from "./platforms.ts";

function define() {
  const diagnostics: ServerDiagnostic[] = [];
  const ran: string[] = [];
  const server = createServer({
    name: "guarded",
    version: "1.0.0",
    onDiagnostic: (event) => diagnostics.push(event),
    tools: {
      whoami: tool({
        run(_, { principal, header }) {
          ran.push(principal?.id ?? "nobody");
          const seen = ["authorization", "Authorization", "dpop", "x-color"].map((name) => header(name) ?? "-");
          return [principal?.id, principal?.issuer, principal?.clientId, principal?.expiresAt, ...seen].join(" ");
        },
      }),
      reports: tool({
        run(_, { log }) {
          log("info", "on the way");
          return "done";
        },
      }),
    },
  });
  return { server, diagnostics, ran };
}

const whoami = (headers: Record<string, string> = {}): RequestInit =>
  modern("tools/call", { name: "whoami" }, { headers });
const textOf = async (response: Response): Promise<string> => JSON.stringify((await readJson(response)).result);

describe.each(PLATFORMS)("`auth` on $name", ({ start }) => {
  test("lets callers in by its decision, and handlers see the whole principal", async () => {
    const auth = fakeAuth({ ada: { issuer: "https://auth.example.com", clientId: "desk", expiresAt: 4e12 } });
    const target = await start(define().server, { auth });
    const response = await target.send(whoami(as("ada")));
    expect(response.status).toBe(200);
    expect(await textOf(response)).toContain("ada https://auth.example.com desk 4000000000000");
    expect(auth.asked).toHaveLength(1);
    expect(auth.asked[0]).toMatchObject({ method: "POST", target: "/mcp" });
  });

  test("sends its refusal, and nothing runs", async () => {
    const { server, ran } = define();
    const target = await start(server, { auth: fakeAuth({}) });
    const response = await target.send(whoami());
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain("resource_metadata=");
    expect((await readJson(response)).error?.message).toBe("A token is needed.");
    expect(ran).toEqual([]);
  });

  test("adds the fields of an admission to every response: JSON, a stream, an error, a refusal that follows", async () => {
    const target = await start(define().server, { auth: fakeAuth({ ada: {} }) });
    const requests = [
      whoami(as("ada")),
      modern("tools/call", { name: "reports" }, { headers: as("ada") }),
      modern("tools/call", { name: "unknown" }, { headers: as("ada") }),
      post("no JSON", { ...as("ada"), accept: BOTH }),
      { method: "PUT", headers: as("ada") },
    ];
    for (const request of requests) {
      const response = await target.send(request);
      expect(response.headers.get("x-admitted")).toBe("ada");
      await response.text();
    }
  });

  test("is waited for if it has to ask somebody", async () => {
    const auth = fakeAuth({}, async () => ({ principal: { id: "late" }, headers: ["DPoP-Nonce", "n-1"] }));
    const target = await start(define().server, { auth });
    const response = await target.send(whoami());
    expect(response.headers.get("dpop-nonce")).toBe("n-1");
    expect(await textOf(response)).toContain("late");
  });

  test.each<[string, () => Admission | Promise<Admission>]>([
    [
      "throws",
      () => {
        throw new Error("database db-7 is down");
      },
    ],
    ["rejects", () => Promise.reject(new Error("database db-7 is down"))],
    ["returns nothing", () => undefined as never],
    ["promises nothing", () => Promise.resolve(undefined as never)],
    ["names a caller without an id", () => ({ principal: { id: "" } })],
  ])("that %s refuses the request with a 500 and tells the operator", async (_, decide) => {
    const { server, diagnostics, ran } = define();
    const target = await start(server, { auth: fakeAuth({}, decide) });
    const response = await target.send(whoami());
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("db-7");
    expect(diagnostics).toMatchObject([
      { level: "error", message: expect.stringContaining("authentication hook") as string },
    ]);
    expect(ran).toEqual([]);
  });

  test("hides the token from handlers, who could pass it on; `authenticate` does not", async () => {
    const headers = { ...as("ada"), dpop: "proof", "x-color": "red" };
    const hidden = await start(define().server, { auth: fakeAuth({ ada: {} }) });
    expect(await textOf(await hidden.send(whoami(headers)))).toContain("- - - red");
    const shown = await start(define().server, { authenticate: () => ({ id: "ada" }) });
    expect(await textOf(await shown.send(whoami(headers)))).toContain("Bearer ada Bearer ada proof red");
  });

  describe("principal: sessions belong to it", () => {
    test("the same subject of another issuer is another caller, whose session does not exist", async () => {
      const auth = fakeAuth({}, ({ header }) => {
        const id = header("authorization")!.replace("Bearer ", "");
        return { principal: { id } };
      });
      const target = await start(define().server, { auth });
      const client = await LegacyClient.open(target, "2025-11-25", as("https://a.example#ada"));
      const message = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "whoami" } };
      const own = await client.send(message, as("https://a.example#ada"));
      expect(own.status).toBe(200);
      await own.text();
      const other = await client.send(message, as("https://b.example#ada"));
      expect(other.status).toBe(404);
      await other.text();
    });
  });

  describe("metadata", () => {
    test.each([METADATA_PATH, `${METADATA_PATH}/`, `${METADATA_PATH}?a=b`])(
      "is public at %s, beside the endpoint",
      async (path) => {
        const auth = fakeAuth({});
        const target = await start(define().server, { auth, path: "/mcp" });
        const response = await target.send({ path });
        expect(response.status).toBe(200);
        expect(response.headers.get("content-type")).toBe("application/json");
        expect(response.headers.get("access-control-allow-origin")).toBe("*");
        expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
        expect(await response.text()).toBe(METADATA_TEXT);
        expect(auth.asked).toEqual([]);
      },
    );

    test("is for pages of all origins, also those that may not call the server", async () => {
      const target = await start(define().server, { auth: fakeAuth({}) });
      const origin = "https://elsewhere.example.com";
      const document = await target.send({ path: METADATA_PATH, headers: { origin } });
      expect(document.status).toBe(200);
      expect(document.headers.get("access-control-allow-origin")).toBe("*");
      const wished = {
        "access-control-request-method": "GET",
        "access-control-request-headers": "mcp-protocol-version",
      };
      const preflight = await target.send({ path: METADATA_PATH, method: "OPTIONS", headers: { origin, ...wished } });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
      expect(preflight.headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS");
      expect(preflight.headers.get("access-control-allow-headers")).toBe("mcp-protocol-version");
    });

    test("is answered to HEAD, and other methods get a 405 that names those allowed", async () => {
      const target = await start(define().server, { auth: fakeAuth({}) });
      const head = await target.send({ path: METADATA_PATH, method: "HEAD" });
      expect([head.status, head.headers.get("content-type")]).toEqual([200, "application/json"]);
      for (const method of ["POST", "PUT", "DELETE"]) {
        const response = await target.send({ path: METADATA_PATH, method });
        expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      }
    });

    test("of nobody is a path like any other", async () => {
      const target = await start(define().server, { path: "/mcp", authenticate: () => ({ id: "ada" }) });
      expect((await target.send({ path: METADATA_PATH })).status).toBe(404);
    });
  });

  describe("browsers", () => {
    const origin = "http://localhost:5173";

    test("a preflight allows the headers `Authorization` and `DPoP`", async () => {
      const auth = fakeAuth({});
      const target = await start(define().server, { auth });
      const wished = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,dpop",
      };
      const response = await target.send({ method: "OPTIONS", headers: { origin, ...wished } });
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-headers")).toBe("authorization,dpop");
      expect(auth.asked).toEqual([]);
    });

    test("pages can read the challenge and the nonce of a refusal", async () => {
      const target = await start(define().server, { auth: fakeAuth({}) });
      const response = await target.send(whoami({ origin }));
      expect(response.status).toBe(401);
      const exposed = response.headers.get("access-control-expose-headers")?.split(", ");
      expect(exposed).toEqual(expect.arrayContaining(["WWW-Authenticate", "DPoP-Nonce", "Mcp-Session-Id"]));
    });
  });

  test("works for legacy handshakes and streams alike", async () => {
    const target = await start(define().server, { auth: fakeAuth({ ada: {} }) });
    expect((await target.send(post(initialize(), { accept: BOTH }))).status).toBe(401);
    const client = await LegacyClient.open(target, "2025-11-25", as("ada"));
    const stream = await target.send({ headers: { ...client.headers, ...as("ada"), accept: "text/event-stream" } });
    expect(stream.headers.get("x-admitted")).toBe("ada");
    await new Events(stream).cancel();
    const refused = await target.send({ headers: { ...client.headers, accept: "text/event-stream" } });
    expect(refused.status).toBe(401);
  });
});

describe("prm: forged Host and X-Forwarded-* change nothing", () => {
  const forged = {
    "x-forwarded-host": "evil.example.com",
    "x-forwarded-proto": "http",
    "x-forwarded-prefix": "/evil",
    forwarded: "host=evil.example.com;proto=http",
  };

  /** Sends a request with a `Host` of one's own, which `fetch` does not allow. */
  function ask(
    port: number,
    path: string,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string; headers: string }> {
    return new Promise((resolve, reject) => {
      httpRequest({ port, path, headers }, async (response) => {
        let text = "";
        for await (const chunk of response) text += String(chunk);
        resolve({ status: response.statusCode ?? 0, text, headers: JSON.stringify(response.headers) });
      })
        .on("error", reject)
        .end();
    });
  }

  test.each(["evil.example.com", "api.example.com", "localhost"])(
    "document and challenge are the same for the host %s",
    async (host) => {
      const listener = await serveHttp(define().server, { port: 0, allowedHosts: ["*"], auth: fakeAuth({}) });
      onTestFinished(() => listener.close());
      const document = await ask(listener.port, METADATA_PATH, { host, ...forged });
      expect([document.status, document.text]).toEqual([200, METADATA_TEXT]);
      const refusal = await ask(listener.port, "/mcp", { host, ...forged });
      expect(refusal.status).toBe(401);
      expect(refusal.headers).toContain(`https://api.example.com${METADATA_PATH}`);
      expect(refusal.headers + refusal.text).not.toContain("evil");
    },
  );

  test("a host that is not served gets no document", async () => {
    const listener = await serveHttp(define().server, { port: 0, auth: fakeAuth({}) });
    onTestFinished(() => listener.close());
    expect((await ask(listener.port, METADATA_PATH, { host: "evil.example.com" })).status).toBe(403);
  });
});

describe("an admission that is given at once", () => {
  /** A request without a platform: everything about it is at hand. */
  function bareRequest(
    body: string,
    headers: Record<string, string>,
  ): HttpRequestAdapter & { readonly sent: number[] } {
    const sent: number[] = [];
    const fields: Record<string, string | undefined> = {
      host: "localhost",
      "content-type": "application/json",
      ...headers,
    };
    return {
      sent,
      method: "POST",
      target: "/mcp",
      routedPath: "/mcp",
      raw: undefined,
      connection: {},
      isEncrypted: false,
      address: "127.0.0.1",
      isPipelined: false,
      unsent: undefined,
      header: (name) => fields[name],
      readBody: (_limit, receive) => receive({ text: body }),
      send: (status) => sent.push(status),
      stream: () => {
        throw new Error("There is nothing to stream.");
      },
      onTurn: (listener) => listener(),
      onDisconnect() {},
    };
  }

  test.each([
    ["auth", { auth: fakeAuth({ ada: {} }) }],
    ["authenticate", { authenticate: () => ({ id: "ada" }) }],
  ])("costs no turn of the event loop: the answer was sent before `accept` returns (%s)", (_, options) => {
    const { server, ran } = define();
    const endpoint = new HttpEndpoint(bindingOf(server), options, keepAliveTogether);
    const { body, headers } = modern("tools/call", { name: "whoami" }, { headers: as("ada") });
    const adapter = bareRequest(body, Object.fromEntries(headers as [string, string][]));
    endpoint.accept(adapter);
    expect(ran).toEqual(["ada"]);
    expect(adapter.sent).toEqual([200]);
  });

  test("refuses at once, too", () => {
    const endpoint = new HttpEndpoint(bindingOf(define().server), { auth: fakeAuth({}) }, keepAliveTogether);
    const adapter = bareRequest("{}", {});
    endpoint.accept(adapter);
    expect(adapter.sent).toEqual([401]);
  });
});

describe("options of authorization", () => {
  const { server } = define();

  test("`auth` and `authenticate` together are a mistake", () => {
    const both = { auth: fakeAuth({}), authenticate: () => ({ id: "ada" }) };
    for (const make of [createHttpHandler, createNodeHandler]) {
      expect(() => make(server, both)).toThrow(UsageError);
      expect(() => make(server, both)).toThrow(/`auth` and `authenticate`.*give one of them/);
    }
  });

  test.each([
    null,
    "token",
    {},
    () => ({ id: "ada" }),
    { admit() {}, challenge() {} },
    { resource: "https://a.example" },
  ])("%j is no `auth`, and the error says how to make one", (auth) => {
    expect(() => createHttpHandler(server, { auth: auth as never })).toThrow(/protect\(\{ … \}\)/);
    expect(() => createMetadataHandler(auth as never)).toThrow(/protect\(\{ … \}\)/);
  });
});

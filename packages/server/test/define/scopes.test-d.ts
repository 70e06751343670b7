/* oxlint-disable vitest/expect-expect -- in these tests, the compiler asserts. */
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  createHttpHandler,
  createMetadataHandler,
  createNodeHandler,
  type ServerAuth,
  serveHttp,
} from "../../src/http.ts";
import { serveWebSocket } from "../../src/bindings/websocket/index.ts";
import { type Context, createServer, InsufficientScope, prompt, resource, tool } from "../../src/index.ts";

const server = createServer({ name: "types", version: "1.0.0" });
declare const auth: ServerAuth;

describe("scopes", () => {
  test("are a list of texts on tools, resources, templates and prompts, which may be constant", () => {
    const scopes = ["files:write", "files:read"] as const;
    tool({ scopes, input: z.object({ path: z.string() }), run: ({ path }) => path });
    tool({ scopes: [...scopes], run: () => "" });
    resource({ uri: "a://b", scopes, read: () => "" });
    resource({ template: "a://{b}", scopes, read: ({ b }) => b });
    prompt({ scopes, arguments: { code: { required: true } }, get: ({ code }) => code });
    prompt({ scopes, arguments: z.object({ code: z.string() }), get: ({ code }) => code });
  });

  test("are no single text, and no numbers", () => {
    // @ts-expect-error -- a list is needed.
    tool({ scopes: "files:write", run: () => "" });
    // @ts-expect-error -- a list is needed.
    resource({ uri: "a://b", scopes: "docs:read", read: () => "" });
    // @ts-expect-error -- scopes are texts.
    prompt({ scopes: [1], get: () => "" });
  });

  test("do not disturb what is inferred from the schemas", () => {
    tool({
      scopes: ["files:write"],
      input: z.object({ path: z.string() }),
      output: z.object({ size: z.number() }),
      run(args, ctx) {
        expectTypeOf(args).toEqualTypeOf<{ path: string }>();
        expectTypeOf(ctx).toEqualTypeOf<Context>();
        return { size: args.path.length };
      },
    });
  });

  test("are required one by one in handlers, which goes on if the caller has them", () => {
    expectTypeOf<Context["requireScopes"]>().toEqualTypeOf<(...scopes: readonly string[]) => void>();
    tool({
      run(_, { requireScopes }) {
        requireScopes("a", "b");
        // @ts-expect-error -- one by one, and not as a list.
        requireScopes(["a", "b"]);
        return "";
      },
    });
    expectTypeOf(new InsufficientScope(["a"]).scopes).toEqualTypeOf<readonly string[]>();
  });
});

describe("auth", () => {
  test("is an option of everything that is served over HTTP or WebSocket", () => {
    createHttpHandler(server, { auth });
    createNodeHandler(server, { auth });
    void serveHttp(server, { auth });
    void serveWebSocket(server, { port: 0, auth });
  });

  test("is no function, and no plain description of a resource", () => {
    // @ts-expect-error -- that is `authenticate`.
    createHttpHandler(server, { auth: () => ({ id: "ada" }) });
    // @ts-expect-error -- `protect({ … })` makes one of it.
    createHttpHandler(server, { auth: { resource: "https://api.example.com/mcp" } });
  });

  test("has metadata that a handler of node:http and of web standards serves", () => {
    const metadata = createMetadataHandler(auth);
    expectTypeOf(metadata.fetch).toEqualTypeOf<(request: Request) => Response>();
  });
});

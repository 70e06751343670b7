/* oxlint-disable vitest/expect-expect -- in these tests, the compiler asserts. */
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createServer, method, tool, type ServerExtension } from "../../src/index.ts";

declare module "@toolwire/server" {
  interface ToolMembers {
    /** Who may see the tool; for this test only. */
    readonly audience?: "staff" | "everybody" | undefined;
  }
  interface ContextMembers {
    /** For this test only. */
    readonly office?: string;
  }
}

const flags = {
  id: "com.example/flags",
  methods: {
    "com.example/flags/get": method({
      params: z.object({ name: z.string(), deep: z.boolean().default(false) }),
      result: z.object({ isOn: z.boolean() }),
      handle({ name, deep }, ctx) {
        expectTypeOf(name).toEqualTypeOf<string>();
        expectTypeOf(deep).toEqualTypeOf<boolean>();
        expectTypeOf(ctx.revision).toBeString();
        return { isOn: true };
      },
    }),
  },
} satisfies ServerExtension;

const clock = {
  id: "com.example/clock",
  methods: { "com.example/clock/now": method({ result: z.object({ now: z.number() }), handle: () => ({ now: 1 }) }) },
} satisfies ServerExtension;

test("a server carries the types of the methods that its extensions add", () => {
  const server = createServer({ name: "x", version: "1", extensions: [flags, clock] });
  type Methods = NonNullable<(typeof server)["~methods"]>;
  expectTypeOf<keyof Methods>().toEqualTypeOf<"com.example/flags/get" | "com.example/clock/now">();
  type Get = Methods["com.example/flags/get"];
  expectTypeOf<Get["params"]>().toEqualTypeOf<{ name: string; deep?: boolean | undefined }>();
  expectTypeOf<Get["result"]>().toEqualTypeOf<{ isOn: boolean }>();
});

test("a server without extensions adds no methods", () => {
  const server = createServer({ name: "x", version: "1" });
  expectTypeOf(server["~methods"]).toEqualTypeOf<{} | undefined>();
});

test("a handler must return what its `result` promises", () => {
  // @ts-expect-error -- `isOn` is missing.
  method({ result: z.object({ isOn: z.boolean() }), handle: () => ({ on: true }) });
});

test("options of tools and members of the context that an extension declares are typed", () => {
  tool({
    audience: "staff",
    run(_args, { office }) {
      expectTypeOf(office).toEqualTypeOf<string | undefined>();
      return "";
    },
  });
  // @ts-expect-error -- There is no such audience.
  tool({ audience: "nobody", run: () => "" });
});

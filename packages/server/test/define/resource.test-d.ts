/* oxlint-disable vitest/expect-expect -- in these tests, the compiler asserts. */
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  createServer,
  prompt,
  resource,
  type PromptArgumentOptions,
  type Server,
  type TemplateValues,
} from "../../src/index.ts";

test("the variables of a template reach `read` with their types", () => {
  resource({
    template: "file:///{+path}",
    read(values) {
      expectTypeOf(values).toEqualTypeOf<{ readonly path: string }>();
      return values.path;
    },
  });
  expectTypeOf<TemplateValues<"users://{id}/posts/{post}">>().toEqualTypeOf<{
    readonly id: string;
    readonly post: string;
  }>();
  expectTypeOf<TemplateValues<"search://{index}{?q,limit}">>().toEqualTypeOf<{
    readonly index: string;
    readonly q: string | undefined;
    readonly limit: string | undefined;
  }>();
  expectTypeOf<TemplateValues<"tags://{list*}">["list"]>().toEqualTypeOf<string | string[] | Record<string, string>>();
  expectTypeOf<TemplateValues<"short://{hash:8}">>().toEqualTypeOf<{ readonly hash: string }>();
});

test("completion is offered for the template's own variables only", () => {
  resource({ template: "users://{id}", complete: { id: () => ["1"] }, read: () => "" });
  resource({
    template: "users://{id}",
    // @ts-expect-error -- there is no such variable
    complete: { name: () => ["1"] },
    read: () => "",
  });
});

test("a resource has a URI or a template", () => {
  resource({ uri: "docs://readme", read: () => new Uint8Array() });
  resource({ uri: "docs://readme", read: async () => undefined });
  // @ts-expect-error -- neither
  resource({ read: () => "" });
});

test("the arguments of a prompt reach `get` with their types", () => {
  prompt({
    arguments: { code: { required: true }, style: { description: "How" } },
    get(args) {
      expectTypeOf(args).toEqualTypeOf<{ readonly code: string; readonly style: string | undefined }>();
      return args.code;
    },
  });
  prompt({
    arguments: z.object({ depth: z.string().transform(Number) }),
    get(args) {
      expectTypeOf(args).toEqualTypeOf<{ depth: number }>();
      return "";
    },
  });
});

test("a prompt without arguments has none to read", () => {
  prompt({
    get(args) {
      // @ts-expect-error -- there is no such argument
      return `${args.code}`;
    },
  });
});

test("an argument of a prompt is required, or not", () => {
  prompt({ arguments: { code: { required: undefined } }, get: ({ code }) => code ?? "" });
  // @ts-expect-error -- text is neither
  prompt({ arguments: { code: { required: "yes" } }, get: () => "" });
  // @ts-expect-error -- misspelt
  prompt({ arguments: { code: { required: true, descripton: "Some" } }, get: () => "" });
});

test("a server carries the arguments of its prompts to its clients", () => {
  const isStrict: boolean = Math.random() < 0.5;
  const named: { [name: string]: PromptArgumentOptions } = {};
  const server = createServer({
    name: "prompts",
    version: "1",
    prompts: {
      review: prompt({
        arguments: { code: { required: true }, style: { complete: (typed) => [typed] } },
        get: () => "",
      }),
      schema: prompt({
        arguments: z.object({ depth: z.string().transform(Number), tone: z.enum(["kind", "strict"]).optional() }),
        get: () => "",
      }),
      unsure: prompt({ arguments: { code: { required: isStrict } }, get: () => "" }),
      dynamic: prompt({ arguments: named, get: () => "" }),
      bare: prompt({ get: () => "" }),
    },
  });
  type Prompts = NonNullable<(typeof server)["~prompts"]>;
  expectTypeOf<Prompts["review"]["arguments"]>().toEqualTypeOf<{ readonly code: string; readonly style?: string }>();
  expectTypeOf<Prompts["schema"]["arguments"]>().toEqualTypeOf<{
    depth: string;
    tone?: "kind" | "strict" | undefined;
  }>();
  expectTypeOf<Prompts["unsure"]["arguments"]>().toEqualTypeOf<{ readonly code?: string }>();
  expectTypeOf<Prompts["dynamic"]["arguments"]>().toEqualTypeOf<{ readonly [argument: string]: string }>();
  expectTypeOf<Prompts["bare"]["arguments"]>().toEqualTypeOf<{ readonly [argument: string]: never }>();
  expectTypeOf(server).toExtend<Server>();
});

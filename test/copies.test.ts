import { build } from "esbuild";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as protocol from "@toolwire/protocol";
import type * as internal from "@toolwire/protocol/internal";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { listPublishedPackages } from "../scripts/workspace.mjs";

type Protocol = typeof protocol & typeof internal;

/**
 * An application may hold the package twice: in two versions, or once bundled and once not. Errors and prepared
 * results of one copy have to be recognised by the other.
 */
describe("two copies of the protocol package in one process", () => {
  let directory: string;
  let one: Protocol;
  let other: Protocol;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "toolwire-copies-"));
    one = await loadCopy("one");
    other = await loadCopy("other");
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  async function loadCopy(name: string): Promise<Protocol> {
    const outfile = join(directory, `${name}.mjs`);
    await build({
      stdin: {
        contents: 'export * from "@toolwire/protocol"; export * from "@toolwire/protocol/internal";',
        resolveDir: import.meta.dirname,
      },
      outfile,
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      conditions: ["@toolwire/source"],
      logLevel: "warning",
    });
    return (await import(pathToFileURL(outfile).href)) as Protocol;
  }

  const ERRORS: readonly (readonly [string, (copy: Protocol) => Error, readonly (keyof Protocol)[]])[] = [
    ["RpcError", (copy) => new copy.RpcError(-32603, "no"), ["RpcError", "ToolwireError"]],
    ["TransportError", (copy) => new copy.TransportError("CLOSED", "no"), ["TransportError", "ToolwireError"]],
    [
      "UnsentError",
      (copy) => new copy.UnsentError(copy.closedError()),
      ["UnsentError", "TransportError", "ToolwireError"],
    ],
    [
      "ProtocolViolation",
      (copy) => new copy.ProtocolViolation("PARSE_ERROR", "no"),
      ["ProtocolViolation", "ToolwireError"],
    ],
    [
      "MalformedMessage",
      (copy) => new copy.MalformedMessage(-32600, "no"),
      ["MalformedMessage", "ProtocolViolation", "ToolwireError"],
    ],
    ["UsageError", (copy) => new copy.UsageError("UNSUPPORTED", "no"), ["UsageError", "ToolwireError"]],
    ["AuthError", (copy) => new copy.AuthError("FORBIDDEN", "no"), ["AuthError", "ToolwireError"]],
  ];
  const CLASSES = [...new Set(ERRORS.flatMap(([, , classes]) => classes))];

  it("are really two: their classes differ", () => {
    expect(one.RpcError).not.toBe(other.RpcError);
  });

  it.each(ERRORS)(
    "a %s of one copy is an instance of the same classes of the other, and of no others",
    (_, make, classes) => {
      for (const [maker, judge] of [
        [one, other],
        [other, one],
        [one, one],
      ] as const) {
        const error = make(maker);
        const recognised = CLASSES.filter((name) => error instanceof (judge[name] as typeof Error));
        expect(recognised.toSorted()).toEqual(classes.toSorted());
        expect(error).toBeInstanceOf(Error);
      }
    },
  );

  it("a subclass that nobody branded has instances of its own, and is recognised as its parent", () => {
    class Forgotten extends one.TransportError {}
    const error = new Forgotten("CLOSED", "no");
    expect(error).toBeInstanceOf(Forgotten);
    expect(error).toBeInstanceOf(other.TransportError);
    expect(new other.TransportError("CLOSED", "no")).not.toBeInstanceOf(Forgotten);
    expect(new one.TransportError("CLOSED", "no")).not.toBeInstanceOf(Forgotten);
  });

  it.each([undefined, null, 5, "RpcError", {}, new Error("RpcError"), () => {}])(
    "%o is no error of the package",
    (value) => {
      expect(value instanceof one.ToolwireError).toBe(false);
      expect(value instanceof one.RpcError).toBe(false);
    },
  );

  it("one copy writes and unwraps the results that the other has prepared", () => {
    class Greeting extends one.SelfEncoding {
      encode(): string {
        return '{"greeting":"hello"}';
      }
    }
    const prepared = { jsonrpc: "2.0", id: 1, result: new one.PreparedJson({ text: "x".repeat(5_000) }) } as const;
    expect(other.encodeParts(prepared)).toEqual(one.encodeParts(prepared));
    expect(other.encodeParts(prepared)).toHaveProperty("bytes");
    expect(other.unwrapMessage(prepared)).toEqual(one.unwrapMessage(prepared));
    expect(other.encodeMessage({ jsonrpc: "2.0", id: 1, result: new Greeting() })).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"greeting":"hello"}}',
    );
  });
});

type ErrorClass = (new (...given: readonly unknown[]) => Error & { readonly code?: unknown }) & {
  readonly name: string;
};

/** All error classes that our packages export at run time, by name. */
type ErrorClasses = ReadonlyMap<string, ErrorClass>;

const BRAND = Symbol.for("toolwire.error");

/** Arguments for classes that take neither a message nor a code and a message. */
const ARGUMENTS: { readonly [name: string]: (copy: ErrorClasses) => readonly unknown[] } = {
  RpcError: () => [-32603, "no"],
  MalformedMessage: () => [-32600, "no"],
  HttpStatusError: () => [500, "no"],
  ViewError: () => [-32000, "no"],
  InsufficientScope: () => [["files:write"], "no"],
  UnsentError: (copy) => [new (copy.get("TransportError")!)("CLOSED", "no")],
};

function makeError(copy: ErrorClasses, name: string): Error & { readonly code?: unknown } {
  return new (copy.get(name)!)(...(ARGUMENTS[name]?.(copy) ?? ["CODE", "no"]));
}

describe("the error classes of all entry points", () => {
  let one: ErrorClasses;
  let other: ErrorClasses;

  beforeAll(async () => {
    one = await loadErrorClasses();
    other = await loadErrorClasses();
  });

  async function loadErrorClasses(): Promise<ErrorClasses> {
    vi.resetModules();
    const classes = new Map<string, ErrorClass>();
    for (const { specifier } of listPublishedPackages().flatMap((each) => each.entryPoints)) {
      const exported = (await import(specifier)) as { readonly [name: string]: unknown };
      for (const [name, value] of Object.entries(exported)) {
        if (typeof value === "function" && value.prototype instanceof Error) classes.set(name, value as ErrorClass);
      }
    }
    return classes;
  }

  /** All classes but the abstract base class, which has no errors of its own. */
  const names = (): string[] => [...one.keys()].filter((name) => name !== "ToolwireError");

  it("are found in every package, and differ between copies", () => {
    expect(names()).toEqual(
      expect.arrayContaining(["RpcError", "ContractViolation", "SchemaError", "ToolError", "DeniedError"]),
    );
    for (const [name, errorClass] of one) expect(other.get(name), name).not.toBe(errorClass);
  });

  it("have a brand that begins with the base class and ends with the class itself", () => {
    for (const [name, { prototype }] of one) {
      expect(Object.hasOwn(prototype as object, BRAND), name).toBe(true);
      const brand = (prototype as { readonly [BRAND]: readonly string[] })[BRAND];
      expect([brand[0], brand.at(-1)]).toEqual(["ToolwireError", name]);
    }
  });

  it("make errors with a code, which is a number or a string", () => {
    for (const name of names()) expect(typeof makeError(one, name).code, name).toMatch(/^(?:number|string)$/);
  });

  it("recognise the errors of another copy as their own, and as errors of the base class", () => {
    for (const name of names()) {
      const error = makeError(one, name);
      expect(error instanceof other.get(name)!, name).toBe(true);
      expect(error instanceof other.get("ToolwireError")!, name).toBe(true);
    }
  });

  it("do not recognise errors of their parents as their own", () => {
    for (const name of names()) {
      const brand = (one.get(name)!.prototype as { readonly [BRAND]: readonly string[] })[BRAND];
      for (const parent of brand.slice(1, -1)) {
        expect(makeError(one, parent) instanceof other.get(name)!, `${parent} as ${name}`).toBe(false);
      }
    }
  });

  it("leave a subclass of an application, which has no brand, its own instances", () => {
    for (const name of names()) {
      const parent = one.get(name)!;
      const Unbranded = class extends parent {};
      const given = ARGUMENTS[name]?.(one) ?? ["CODE", "no"];
      expect(new Unbranded(...given) instanceof Unbranded, name).toBe(true);
      expect(makeError(one, name) instanceof Unbranded, name).toBe(false);
    }
  });
});

/** The name of a class that extends an error class, and the first lines of its body. */
const ERROR_CLASS = /class (\w+) extends (?:\w*Error|\w*Violation|MalformedMessage)\b[^{]*\{((?:\n.*){2})/g;

/** Classes that never leave the package that throws them, or only as the class that they extend, so they need no brand. */
const CONTROL_FLOW = [
  "AddressRefused",
  "AdminError",
  "CommandError",
  "CommandFailure",
  "ConfigError",
  "ConnectTimeout",
  "DecodeError",
  "Failure",
  "PlacedError",
  "Refused",
  "StatementError",
  "StepsExhausted",
  "TokenRefused",
  "TooDeep",
  "UnreadableTask",
  "UnsupportedPattern",
];

describe("the error classes in the sources", () => {
  it("all have a brand, exported or not", () => {
    const unbranded: string[] = [];
    for (const { directory } of listPublishedPackages()) {
      const sources = readdirSync(join(directory, "src"), { recursive: true, encoding: "utf8" });
      for (const file of sources.filter((each) => each.endsWith(".ts"))) {
        const text = readFileSync(join(directory, "src", file), "utf8");
        for (const [, name = "", body = ""] of text.matchAll(ERROR_CLASS)) {
          if (!body.includes(`"${name}");`)) unbranded.push(name);
        }
      }
    }
    expect(unbranded.toSorted()).toEqual(CONTROL_FLOW);
  });
});

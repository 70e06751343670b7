import { build } from "esbuild";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as protocol from "@toolwire/protocol";
import type * as internal from "@toolwire/protocol/internal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

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

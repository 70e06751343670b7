import { sanitizeOutput, type RequestCall } from "@toolwire/server";
import { describe, expect, it } from "vitest";
import { flatten, makeHostileTexts } from "../../../../test/hostile-texts.ts";
import { findExcess, findExcessLater, findFirstExcess } from "../../../../test/linear-growth.ts";
import * as base64 from "../../src/content/binary.ts";
import * as names from "../../src/define/names.ts";
import * as accept from "../../src/bindings/http/request.ts";
import * as sealing from "../../src/input/seal.ts";
import { checkToolTurns } from "../../src/input/tool-turns.ts";
import * as cursor from "../../src/registry/cursors.ts";
import * as traversal from "../../src/registry/compile-resource.ts";
import * as hosts from "../../src/bindings/admission/hosts.ts";

/** Every function of the modules that read headers, targets, cursors and names. One that is missing fails a test. */
const MODULES: readonly object[] = [accept, base64, sealing, cursor, hosts, names, traversal];

const refuse = (work: () => unknown): void => {
  try {
    work();
  } catch {
    // Refused input takes time as well.
  }
};

const template = "file:///{+path}";

/** The functions under test, each with valid texts, in whose every place something is repeated. */
const READERS: Readonly<Record<string, readonly [read: (text: string) => unknown, ...examples: string[]]>> = {
  readAccept: [accept.readAccept, "a/b;q=0.0, */*"],
  isJsonType: [accept.isJsonType, 'application/json; charset="utf-8"'],
  isAllowedHost: [(host) => hosts.isAllowedHost(host, ["a.example", "b.example:80"]), "a.example:80", "[::1]:80"],
  isAllowedOrigin: [
    (origin) => [hosts.isAllowedOrigin(origin), hosts.isAllowedOrigin(origin, ["https://a.example"])],
    "https://a.example:80",
  ],
  namesSeveralHosts: [hosts.namesSeveralHosts, "a.example, b.example"],
  isLoopbackAddress: [hosts.isLoopbackAddress, "127.0.0.1"],
  readAdmissionOptions: [
    (name) => refuse(() => hosts.readAdmissionOptions({ allowedHosts: [name], allowedOrigins: [name] })),
    "https://a.example:80/",
  ],
  pathOf: [hosts.pathOf, "/a?b"],
  isPath: [hosts.isPath, "/a?b"],
  mountPathOf: [(path) => [hosts.mountPathOf(path, "/b"), hosts.mountPathOf("/a/b", path)], "/a/b"],
  readTarget: [hosts.readTarget, "http://a.example:80/b?c#d"],
  readCursor: [(text) => refuse(() => cursor.readCursor("tools", text, 9)), cursor.writeCursor("tools", 3)],
  readShownCursor: [
    (text) => refuse(() => cursor.readShownCursor("tools", text)),
    cursor.writeShownCursor("tools", { shown: 3, name: "a" }),
  ],
  fromBase64Url: [base64.fromBase64Url, "YWJj-_"],
  holdsTraversal: [(path) => traversal.holdsTraversal(template, "file:///a", { path, paths: [path] }), "a/../b"],
  checkName: [(name) => refuse(() => names.checkName("tool", name)), "a.b-c"],
  checkExtensionName: [(name) => refuse(() => names.checkExtensionName(name)), "a.b-c/d"],
  canonicalJson: [sealing.canonicalJson, "a"],
  readSealed: [sealing.readSealed, "AAAA-_".repeat(20)],
};

/** Functions that only write, that are about definitions of one's own, or whose parts are measured elsewhere. */
const OTHERS = [
  "HttpRequest",
  "StateSeal",
  "compileResource",
  "encodeBinary",
  "expiryOf",
  "importKey",
  "inDefinition",
  "openWith",
  "readSecrets",
  "sealWith",
  "toBase64",
  "toBase64Url",
  "writeCursor",
  "writeShownCursor",
];

describe("the time that a server takes for what a client sends", () => {
  it("is measured below for every function that reads it", () => {
    const functions = MODULES.flatMap((module) =>
      Object.entries(module).flatMap(([name, value]) => (typeof value === "function" ? [name] : [])),
    );
    expect([...Object.keys(READERS), ...OTHERS].toSorted()).toEqual(functions.toSorted());
  });

  it.each(Object.entries(READERS))(
    "is in proportion to a text: %s",
    (_, [read, ...examples]) => {
      expect(findFirstExcess(makeHostileTexts(...examples), (text) => void read(text))).toBeUndefined();
    },
    120_000,
  );

  it("is in proportion to arguments that are made comparable", () => {
    const makeArguments = (size: number): object =>
      Object.fromEntries(Array.from({ length: size }, (_, n) => [`name ${size - n}`, { b: n, a: [n] }]));
    expect(findExcess(makeArguments, (args) => void sealing.canonicalJson(args), 65_536)).toBeUndefined();
  });

  it("is in proportion to sealed state, whether it opens or not", async () => {
    const seal = new sealing.StateSeal([], 60_000);
    const sealed = new Map<number, string>();
    for (const size of [4_096, 262_144]) sealed.set(size, await seal.seal("a".repeat(size), "context"));
    const open = async (text: string): Promise<unknown> => seal.open(text, "context");
    expect(await findExcessLater((size) => sealed.get(size) ?? "", open)).toBeUndefined();
    expect(await findExcessLater((size) => flatten("a".repeat(size)), open)).toBeUndefined();
  });
});

describe("the time that a server takes for what it sends", () => {
  const call = { method: "tools/call" } as RequestCall;
  const clean = (text: string): Promise<unknown> => {
    const result = { content: [{ type: "text", text }], structuredContent: { text } };
    return Promise.resolve(sanitizeOutput({ maxTextLength: 1_000 })(call, () => Promise.resolve(result)));
  };

  it("is in proportion to a text that is sanitized", async () => {
    const units = [
      "\u001b",
      "\u001b[",
      "\u001b[0",
      "\u001b[0 ",
      "\u001b]",
      "\u001b]a\u001b",
      "\u009b",
      "\u009b0",
      "\u200b",
      "😀",
    ];
    const excesses: string[] = [];
    // One after the other, as they share a processor.
    for (const unit of units) {
      const excess = await findExcessLater((length) => flatten(unit.repeat(length / unit.length)), clean);
      if (excess !== undefined) excesses.push(`${JSON.stringify(unit)}: ${excess}`);
    }
    expect(excesses).toEqual([]);
  }, 120_000);

  it("is in proportion to a conversation that a model is to continue", () => {
    const ids = (size: number): string[] => Array.from({ length: size }, (_, n) => `use ${n}`);
    const makeMessages = (size: number) => [
      {
        role: "assistant" as const,
        content: ids(size).map((id) => ({ type: "tool_use" as const, id, name: "t", input: {} })),
      },
      {
        role: "user" as const,
        content: ids(size)
          .toReversed()
          .map((toolUseId) => ({ type: "tool_result" as const, toolUseId, content: [] })),
      },
    ];
    expect(findExcess(makeMessages, checkToolTurns, 65_536)).toBeUndefined();
  });
});

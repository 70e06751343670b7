import { describe, expect, it } from "vitest";
import { flatten, makeHostileTexts } from "../../../../test/hostile-texts.ts";
import { findExcess, findFirstExcess } from "../../../../test/linear-growth.ts";
import * as framing from "../../src/framing/index.ts";
import { JunkLimit } from "../../src/framing/junk-limit.ts";
import * as encoding from "../../src/messages/encode.ts";
import * as parsing from "../../src/messages/parse.ts";
import { MetaKey } from "../../src/model/index.ts";
import * as annotating from "../../src/param-headers/annotations.ts";
import * as headers from "../../src/param-headers/headers.ts";
import * as legacyParams from "../../src/legacy/params.ts";
import { findConversationProblem } from "../../src/params/conversation.ts";
import * as metaParams from "../../src/params/meta.ts";
import * as requestParams from "../../src/params/requests.ts";
import * as uriTemplate from "../../src/uri-template/index.ts";
import { list, record } from "../../../../test/large-values.ts";

// The messages of a peer pass through these before any step is counted. Each is tried on its worst input, in any size.

/** Something that a peer can make us do: how its input is made in a size, and what is done with it. */
interface Deed<T = never> {
  readonly make: (size: number) => T;
  readonly work: (input: T) => unknown;
  readonly largest?: number;
}

function deed<T>(make: (size: number) => T, work: (input: T) => unknown, largest?: number): Deed {
  return { make, work, ...(largest !== undefined && { largest }) } as unknown as Deed;
}

const headerValues = { ...annotating, ...headers };
const params = { ...requestParams, ...metaParams, ...legacyParams, findConversationProblem };

const names = (size: number): string[] => list(size, (n) => `name ${n}`);
const members = (size: number): Record<string, unknown> => record(size, "p", (n) => `value ${n}`);
const text = (size: number): string => flatten("aé😀 ".repeat(size / 4));

const { createLineDecoder, createEventDecoder } = framing;

/** Bytes as they come from a network: all at once, in packets, or one by one. */
const CHUNK_SIZES = [Infinity, 1_500, 1];

/** Reads a text of some size by a decoder, in chunks of each size. */
function readInChunks(unit: string, create: () => { push(chunk: Uint8Array): void; end(): void }): Deed[] {
  return CHUNK_SIZES.map((chunkSize) =>
    deed(
      (size) => {
        const bytes = new TextEncoder().encode(unit.repeat(size / unit.length));
        const count = Math.max(1, Math.min(bytes.length, Math.ceil(bytes.length / chunkSize)));
        const length = Math.ceil(bytes.length / count);
        return list(count, (n) => bytes.subarray(n * length, (n + 1) * length));
      },
      (chunks) => {
        const decoder = create();
        for (const chunk of chunks) decoder.push(chunk);
        decoder.end();
      },
      65_536,
    ),
  );
}

const ignore = (): void => {};
const createLines = (): framing.LineDecoder =>
  createLineDecoder({ line: ignore, error: ignore }, { maxBytes: Number.MAX_SAFE_INTEGER });
const createEvents = (): framing.EventDecoder =>
  createEventDecoder({ event: ignore, retry: ignore, error: ignore }, { maxBytes: Number.MAX_SAFE_INTEGER });

const LINES = ["a", "\n", "\r", "\r\n", "a\n", "ab\r\n", "\ufeff", "\ufeff\n", "é", "\ufffd", '{"a":1}\n'];
const EVENTS = [
  ...LINES,
  "data: a\n",
  "data\n",
  "data: a\n\n",
  "data: a\r",
  ":\n",
  ": a\n",
  ":",
  "id: 1\n",
  "id: 1\n\n",
];
const FIELDS = [
  "id\0: 1\n\n",
  "event: a\n",
  "retry: 1\n",
  "retry: 99999999999999999999\n",
  "other: a\n",
  "a\n\n",
  "\n\n",
];

/** A schema with as many annotated properties as its size. */
const annotated = (size: number): object => ({
  properties: record(size, "p", (n) => ({ type: "string", "x-mcp-header": `Header-${n}` })),
});
const annotations = (size: number): annotating.ParamHeader[] =>
  list(size, (n) => ({ header: `Header-${n}`, path: ["a", "b", `p${n}`], type: "string" }));

/** As large as templates and URIs may be. */
const MAX_URI = 8_192;

const match = (template: string, unit: string): Deed =>
  deed(
    (size) => `a:/${unit.repeat(size / unit.length)}`.slice(0, MAX_URI),
    (uri) => uriTemplate.parseUriTemplate(template).match(uri),
    MAX_URI,
  );

const request = (size: number): object => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: members(size) });
const meta = (size: number): object => ({
  ...members(size),
  [MetaKey.ProtocolVersion]: text(size),
  [MetaKey.ClientCapabilities]: { ...members(size), experimental: members(size), extensions: members(size) },
  [MetaKey.ClientInfo]: { ...members(size), name: text(size), version: text(size) },
});

const refuse = (work: () => unknown): void => {
  try {
    work();
  } catch {
    // Refused input takes time as well.
  }
};

/** Every function of these modules. One that is missing fails a test. */
const MODULES: Readonly<Record<string, object>> = {
  encoding,
  framing,
  headerValues,
  junk: { JunkLimit },
  params,
  parsing,
  uriTemplate,
};

const DEEDS: Readonly<Record<string, readonly Deed[]>> = {
  createLineDecoder: LINES.flatMap((unit) => readInChunks(unit, createLines)),
  createEventDecoder: [...EVENTS, ...FIELDS].flatMap((unit) => readInChunks(unit, createEvents)),
  encodeComment: [deed((size) => "a\r\n".repeat(size / 3), framing.encodeComment)],
  encodeData: [deed((size) => "a\r\n".repeat(size / 3), framing.encodeData)],
  encodeEvent: [
    deed(
      (size) => "a".repeat(size),
      (id) => framing.encodeEvent({ id, event: id, data: id }),
    ),
  ],

  readParamHeaders: [
    deed(annotated, headerValues.readParamHeaders, 9_000),
    deed((size) => ({ anyOf: list(size, () => ({})) }), headerValues.readParamHeaders, 9_000),
    deed(
      (size) => list(100, () => 0).reduce<object>((inner) => ({ properties: { a: inner } }), annotated(size)),
      headerValues.readParamHeaders,
      9_000,
    ),
    deed(
      (size) => ({ properties: { a: { type: list(size, () => "null"), "x-mcp-header": "A" } } }),
      (schema) => refuse(() => headerValues.readParamHeaders(schema)),
    ),
    deed(
      (size) => ({ properties: { a: { type: "string", "x-mcp-header": text(size) } } }),
      (schema) => refuse(() => headerValues.readParamHeaders(schema)),
    ),
  ],
  encodeHeaderValue: [
    deed(text, headerValues.encodeHeaderValue),
    deed((size) => " ".repeat(size), headerValues.encodeHeaderValue),
  ],
  writeParamHeaders: [
    deed(
      (size) => [annotations(size), { a: { b: members(size) } }] as const,
      (given) => headerValues.writeParamHeaders(...given),
      65_536,
    ),
  ],
  findParamHeaderProblem: [
    deed(
      (size) => [annotations(size), { a: { b: members(size) } }] as const,
      ([given, args]) =>
        headerValues.findParamHeaderProblem(given, args, (name) => `value ${name.slice("Mcp-Param-Header-".length)}`),
      65_536,
    ),
    deed(
      (size) => "1".repeat(size),
      (header) =>
        headerValues.findParamHeaderProblem([{ header: "A", path: ["a"], type: "integer" }], { a: 1 }, () => header),
    ),
  ],

  parseUriTemplate: [
    deed((size) => "{a}".repeat(Math.min(size / 3, 64)), uriTemplate.parseUriTemplate, MAX_URI),
    deed((size) => `{${"a.".repeat(size / 2 - 2)}a}`, uriTemplate.parseUriTemplate, MAX_URI),
    deed(
      (size) => "{".repeat(size),
      (template) => refuse(() => uriTemplate.parseUriTemplate(template)),
    ),
    deed(
      (size) => `{?list*,object*}`.padEnd(16 + Math.min(size, 1_000), "a"),
      (template) =>
        uriTemplate
          .parseUriTemplate(template)
          .expand({ list: names(10_000), object: members(10_000) as Record<string, string> }),
    ),
    deed(
      (size) => ({ list: names(size), object: members(size) as Record<string, string>, text: text(size) }),
      (values) => uriTemplate.parseUriTemplate("a:{/list*}{?object*}{&list}{+text}{text:9}{#text}").expand(values),
      65_536,
    ),
    match("a:/{+a}", "%41"),
    match("a:/{a}{b}{c}{d}", "a"),
    match("a:/{a}{.b}{.c}", "a."),
    match("a:/{a*}", "a,"),
    match("a:/{/a*}{?b*}", "/"),
    match("a:/{?a*,b,c}", "?a=1&"),
    match("a:/{?a*,b,c}", "?b=1&a=2"),
    match("a:/{a:3}{a}", "é"),
  ],

  readMessage: [deed(request, parsing.readMessage, 65_536)],
  parseMessage: [
    deed(
      (size) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "a", params: { text: text(size) } }),
      parsing.parseMessage,
    ),
    deed(
      (size) => JSON.stringify({ jsonrpc: "2.0", id: text(size), error: text(size) }),
      (message) => refuse(() => parsing.parseMessage(message)),
    ),
    deed(
      (size) => "a".repeat(size),
      (message) => refuse(() => parsing.parseMessage(message)),
    ),
  ],
  parseMessages: [
    deed(
      (size) => `[${list(Math.min(size, 256), () => 1).join()}]`,
      (batch) => refuse(() => parsing.parseMessages(batch)),
    ),
    deed(
      (size) => JSON.stringify(list(Math.min(size, 256), () => request(1))),
      (batch) => parsing.parseMessages(batch),
    ),
    deed(
      (size) => `[${list(size, () => 1).join()}]`,
      (batch) => refuse(() => parsing.parseMessages(batch)),
      65_536,
    ),
  ],
  isId: [deed(text, parsing.isId)],
  nameOf: [deed(text, parsing.nameOf)],
  encodeMessage: [deed(request, (message) => encoding.encodeMessage(message as never), 65_536)],
  encodeParts: [deed(request, (message) => encoding.encodeParts(message as never), 65_536)],

  claimsModernEra: [deed((size) => ({ _meta: meta(size) }), params.claimsModernEra, 65_536)],
  readProtocolVersion: [deed((size) => ({ _meta: meta(size) }), params.readProtocolVersion, 65_536)],
  readRequestMeta: [deed((size) => ({ _meta: meta(size) }), params.readRequestMeta, 65_536)],
  findConversationProblem: [
    deed(
      (size) => [
        { role: "assistant", content: names(size).map((id) => ({ type: "tool_use", id, name: "a", input: {} })) },
        { role: "user", content: names(size).map((id) => ({ type: "tool_result", toolUseId: id, content: [] })) },
      ],
      (messages) => params.findConversationProblem(messages),
      65_536,
    ),
    deed(
      (size) => list(size, () => ({ role: "user", content: { type: "text", text: "a" } })),
      (messages) => params.findConversationProblem(messages),
      65_536,
    ),
  ],
  readCompleteParams: [
    deed(
      (size) => ({
        ...members(size),
        ref: { type: "ref/prompt", name: text(size) },
        argument: { name: text(size), value: text(size) },
        context: { arguments: members(size) },
      }),
      params.readCompleteParams,
      65_536,
    ),
  ],
  readInitializeParams: [
    deed(
      (size) => ({
        ...members(size),
        protocolVersion: text(size),
        capabilities: members(size),
        clientInfo: { ...members(size), name: text(size), version: text(size) },
      }),
      params.readInitializeParams,
      65_536,
    ),
  ],
  readSetLevelParams: [
    deed(
      (size) => ({ level: text(size) }),
      (given) => refuse(() => params.readSetLevelParams(given)),
    ),
  ],
  readSubscribeParams: [deed((size) => ({ uri: text(size) }), params.readSubscribeParams)],
  readListParams: [
    deed((size) => ({ cursor: text(size) }), params.readListParams),
    deed((size) => record(size, "p", () => null), params.readListParams, 65_536),
  ],
  readGetPromptParams: [deed((size) => ({ name: "a", arguments: members(size) }), params.readGetPromptParams, 65_536)],
  readReadResourceParams: [deed((size) => ({ uri: text(size) }), params.readReadResourceParams)],
  readListenParams: [
    deed((size) => ({ notifications: { resourceSubscriptions: names(size) } }), params.readListenParams, 65_536),
  ],
  readCallToolParams: [deed((size) => ({ name: "a", arguments: members(size) }), params.readCallToolParams, 65_536)],
  JunkLimit: [deed(text, (junk) => new JunkLimit().isSkipped(junk))],
  decodeHeaderValue: [deed((size) => `=?base64?${btoa("a".repeat(size))}?=`, headerValues.decodeHeaderValue)],
};

/** These only wrap what was made elsewhere, whatever its size. */
const WRAPPERS = ["PreparedJson", "SelfEncoding", "toErrorResponse", "unwrapMessage"];

describe("the time that it takes to read what a peer sends", () => {
  it("is measured below for every function that reads it", () => {
    const functions = Object.values(MODULES).flatMap((module) =>
      Object.entries(module).flatMap(([name, value]) => (typeof value === "function" ? [name] : [])),
    );
    expect([...Object.keys(DEEDS), ...WRAPPERS].toSorted()).toEqual(functions.toSorted());
  });

  it.each(Object.entries(DEEDS))(
    "is in proportion to its size: %s",
    (_, deeds) => {
      const excesses = deeds.map(({ make, work, largest }) => findExcess(make, (input) => void work(input), largest));
      expect(excesses.filter((excess) => excess !== undefined)).toEqual([]);
    },
    120_000,
  );

  it("is in proportion to the text for values of headers", () => {
    const texts = makeHostileTexts("=?base64?YQ==?=", " a ");
    expect(findFirstExcess(texts, headerValues.decodeHeaderValue)).toBeUndefined();
  }, 120_000);
});

import { expect, test } from "vitest";
import { checkMessages } from "../../src/wire/check-messages.ts";
import type { SentMessage, Side } from "../../src/wire/decode/messages.ts";
import { RevisionSchema } from "../../src/wire/schema/revision-schema.ts";

const envelope = { type: "object", required: ["jsonrpc"], properties: { jsonrpc: { const: "2.0" } } };
const method = (
  name: string,
  ...required: string[]
): { required: string[]; properties: { method: { const: string } } } => ({
  required,
  properties: { method: { const: name } },
});

const older = new RevisionSchema("2000-01-01", {
  $schema: "http://json-schema.org/draft-07/schema#",
  definitions: {
    JSONRPCRequest: envelope,
    JSONRPCNotification: envelope,
    JSONRPCResponse: envelope,
    JSONRPCError: { ...envelope, required: ["jsonrpc", "id"] },
    InitializeRequest: method("initialize"),
    InitializeResult: { required: ["protocolVersion"] },
    PingRequest: method("ping"),
    EmptyResult: { type: "object" },
    ElicitRequest: method("elicit"),
    ElicitResult: { properties: { content: { additionalProperties: { type: ["string", "integer"] } } } },
  },
});

const newer = new RevisionSchema("2001-01-01", {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $defs: {
    JSONRPCRequest: envelope,
    JSONRPCNotification: envelope,
    JSONRPCResultResponse: envelope,
    JSONRPCErrorResponse: envelope,
    UnsupportedProtocolVersionError: { properties: { error: { required: ["data"] } } },
    CallToolRequest: method("tools/call", "params"),
    CallToolResult: { required: ["content"] },
    InputRequiredResult: { required: ["inputRequests"] },
  },
});

const schemas = new Map([older, newer].map((schema) => [schema.revision, schema]));

function sent(sender: Side, message: object, scope = "one"): SentMessage {
  return { sender, message: { jsonrpc: "2.0", ...message }, isJson: true, scope };
}

const modernCall = (id: number): SentMessage =>
  sent("client", {
    id,
    method: "tools/call",
    params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2001-01-01" } },
  });

test("checkMessages() checks results by the method of their request, in the revision that it names", () => {
  const { checked, problems } = checkMessages(
    [
      modernCall(1),
      sent("server", { id: 1, result: {} }),
      modernCall(2),
      sent("server", { id: 2, result: { content: [] } }),
    ],
    "server",
    schemas,
  );

  expect(checked).toEqual(new Map([["2001-01-01", 2]]));
  expect(problems).toEqual([expect.stringContaining("CallToolResult must have required property 'content'")]);
});

test("checkMessages() knows interim results", () => {
  const result = { resultType: "input_required" };
  const { problems } = checkMessages([modernCall(1), sent("server", { id: 1, result })], "server", schemas);

  expect(problems).toEqual([
    expect.stringContaining("InputRequiredResult must have required property 'inputRequests'"),
  ]);
});

test("checkMessages() goes by the handshake of the scope for whatever names no revision", () => {
  const handshake = [
    sent("client", { id: 0, method: "initialize", params: { protocolVersion: "2000-01-01" } }),
    sent("server", { id: 0, result: { protocolVersion: "2000-01-01" } }),
  ];
  const { checked, problems } = checkMessages(
    [
      ...handshake,
      sent("client", { id: 1, method: "ping" }),
      sent("client", { id: 2, method: "tools/call", params: {} }),
    ],
    "client",
    schemas,
  );

  expect(checked).toEqual(new Map([["2000-01-01", 3]]));
  expect(problems).toEqual([expect.stringContaining("has the method tools/call, which 2000-01-01 does not have")]);
});

test("checkMessages() checks errors, those with a form of their own by that", () => {
  const error = { code: -32022, message: "Unsupported" };
  const { problems } = checkMessages([modernCall(1), sent("server", { id: 1, error })], "server", schemas);

  expect(problems).toEqual([
    expect.stringContaining("UnsupportedProtocolVersionError/error must have required property 'data'"),
  ]);
});

test("checkMessages() lets an HTTP error do without an id, as the transport does, though older schemas do not say so", () => {
  const handshake = sent("server", { id: 0, result: { protocolVersion: "2000-01-01" } });
  const refused = sent("server", { error: { code: -32600, message: "No such session" } });

  expect(checkMessages([handshake, refused], "server", schemas).problems).toEqual([
    expect.stringContaining("answers no request"),
  ]);
});

test("checkMessages() finds answers to nothing, and texts that are no JSON", () => {
  const { problems } = checkMessages(
    [sent("server", { id: 9, result: {} }), { sender: "server", message: "debug!", isJson: false, scope: "one" }],
    "server",
    schemas,
  );

  expect(problems).toEqual([expect.stringContaining("answers no request"), expect.stringContaining("is not JSON")]);
});

test("checkMessages() takes the members of a batch one by one", () => {
  const batch = { ...sent("client", {}), message: [{ jsonrpc: "2.0", method: "a" }, { method: "b" }] };

  expect(checkMessages([batch], "client", schemas).problems).toEqual([
    expect.stringContaining("JSONRPCNotification must have"),
  ]);
});

test("checkMessages() corrects the known erratum: forms hold numbers, not only whole ones", () => {
  const asked = [
    sent("server", { id: 1, method: "elicit" }),
    sent("server", { id: 0, result: { protocolVersion: "2000-01-01" } }),
  ];
  const answer = (score: unknown): SentMessage => sent("client", { id: 1, result: { content: { score } } });

  expect(checkMessages([...asked, answer(95.5)], "client", schemas).problems).toEqual([]);
  expect(checkMessages([...asked, answer(null)], "client", schemas).problems).toHaveLength(1);
});

test("checkMessages() checks the answer to a call for a task as a task, and answers about tasks as what they are", () => {
  const legacy = new RevisionSchema("2025-11-25", {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: {
      JSONRPCRequest: envelope,
      JSONRPCResultResponse: envelope,
      CallToolRequest: method("tools/call"),
      CallToolResult: { required: ["content"] },
      CreateTaskResult: { required: ["task"] },
      GetTaskRequest: method("tasks/get"),
      GetTaskResult: { required: ["ttl"] },
    },
  });
  const answers = (name: string, params: object, result: object): readonly string[] =>
    checkMessages(
      [sent("client", { id: 1, method: name, params }), sent("server", { id: 1, result })],
      "server",
      new Map([[legacy.revision, legacy]]),
    ).problems;

  expect(answers("tools/call", { task: {} }, { task: {} })).toEqual([]);
  expect(answers("tools/call", { task: {} }, { content: [] })).toEqual([expect.stringContaining("CreateTaskResult")]);
  expect(answers("tools/call", {}, { task: {} })).toEqual([expect.stringContaining("CallToolResult")]);
  // Version 1 of the official SDK sends `task` here, too.
  expect(answers("tasks/get", { task: {} }, { ttl: 1 })).toEqual([]);
});

test("checkMessages() knows methods of the extension for tasks by its declaration, though an older revision has them", () => {
  const withTasks = new RevisionSchema("2000-06-01", {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: { JSONRPCRequest: envelope, GetTaskRequest: method("tasks/get") },
  });
  const get = (extensions: object): SentMessage =>
    sent("client", {
      id: 1,
      method: "tasks/get",
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2001-01-01",
          "io.modelcontextprotocol/clientCapabilities": { extensions },
        },
      },
    });
  const problems = (extensions: object): readonly string[] =>
    checkMessages([get(extensions)], "client", new Map([...schemas, [withTasks.revision, withTasks]])).problems;

  expect(problems({ "io.modelcontextprotocol/tasks": {} })).toEqual([]);
  expect(problems({})).toEqual([expect.stringContaining("which 2001-01-01 does not have")]);
});

test("results and methods of extensions are not checked against the revision", () => {
  const schema = new RevisionSchema("2026-07-28", {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: {
      JSONRPCRequest: envelope,
      JSONRPCResultResponse: envelope,
      CallToolRequest: method("tools/call"),
      CallToolResult: { required: ["content"] },
      GetTaskRequest: method("tasks/get"),
      GetTaskResult: { required: ["ttl"] },
    },
  });
  const result = (resultType: string): { jsonrpc: string; id: number; result: object } => ({
    jsonrpc: "2.0",
    id: 1,
    result: { resultType },
  });
  expect(schema.checkResult("tools/call", result("task"))).toEqual([]);
  expect(schema.checkResult("tools/call", result("complete"))).not.toEqual([]);
  expect(schema.checkResult("tasks/get", result("complete"))).toEqual([]);
});

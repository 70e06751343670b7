import { connect, type ClientExtension } from "@toolwire/client";
import { UsageError } from "@toolwire/protocol";
import { describe, expect, test } from "vitest";
import { modernServer } from "../scripted-server.ts";

const ID = "com.example/flags";
const settle = async (result: object): Promise<object> => result;

/** Extensions that a client refuses, and what it says. */
const REFUSED: { readonly [problem: string]: readonly [extensions: unknown, message: string] } = {
  "no array": [{ id: ID }, "`extensions` must be an array of extensions"],
  "no object": [["com.example/flags"], 'such as { id: "com.example/flags" }: a string will not do'],
  "no id": [[{}], "an object without an `id` will not do"],
  "an id without a prefix": [[{ id: "flags" }], '"flags" cannot be the name of an extension'],
  "an unknown member": [[{ id: ID, method: {} }], "Did you mean `methods`?"],
  "settings that are no object": [
    [{ id: ID, settings: "on" }],
    "`settings` is an object, or a function of the revision",
  ],
  "an api that is no function": [[{ id: ID, api: {} }], "api"],
  "a method of the protocol": [[{ id: ID, methods: { "tools/call": {} } }], '"tools/call" is a method of the protocol'],
  "a method of an older revision": [[{ id: ID, methods: { ping: {} } }], '"ping" is a method of the protocol'],
  "a method that is no object": [[{ id: ID, methods: { "a/b": "name" } }], 'such as { nameParam: "name" }'],
  "a revision that there is not": [
    [{ id: ID, methods: { "a/b": { revisions: ["2027-01-01"] } } }],
    '"2027-01-01", which there is not',
  ],
  "a notification of the protocol": [
    [{ id: ID, notifications: { "notifications/message": () => {} } }],
    '"notifications/message" is a method of the protocol',
  ],
  "a notification without a listener": [[{ id: ID, notifications: { "notifications/a": {} } }], "notifications/a"],
  "a topic of the protocol": [[{ id: ID, topics: ["toolsListChanged"] }], '"toolsListChanged" is one of the protocol'],
  "the result type `complete`": [
    [{ id: ID, resultTypes: { complete: { methods: ["tools/call"], settle } } }],
    '`resultTypes` names "complete", which the protocol defines',
  ],
  "the result type `input_required`": [
    [{ id: ID, resultTypes: { input_required: { methods: ["tools/call"], settle } } }],
    '`resultTypes` names "input_required", which the protocol defines',
  ],
  "a result type without methods": [
    [{ id: ID, resultTypes: { ticket: { settle } } }],
    'methods: ["tools/call"], settle',
  ],
  "a result type that nobody settles": [[{ id: ID, resultTypes: { ticket: { methods: [] } } }], "settle"],
  "an extension twice": [[{ id: ID }, { id: ID }], `The extension "${ID}" is given twice`],
  "a method twice": [
    [
      { id: ID, methods: { "a/b": {} } },
      { id: "com.example/other", methods: { "a/b": {} } },
    ],
    'The method "a/b" is added by two extensions, "com.example/flags" and "com.example/other"',
  ],
  "a result type twice": [
    [
      { id: ID, resultTypes: { ticket: { methods: [], settle } } },
      { id: "com.example/other", resultTypes: { ticket: { methods: [], settle } } },
    ],
    'The result type "ticket" is added by two extensions',
  ],
  "an option of calls twice": [
    [
      { id: ID, callMembers: ["task"] },
      { id: "com.example/other", callMembers: ["task"] },
    ],
    'The option "task" of callTool() is added by two extensions',
  ],
};

describe("extensions that cannot be supported are refused before the server is asked", () => {
  test.each(Object.entries(REFUSED))("%s", async (_, [extensions, message]) => {
    const server = modernServer();
    const failure = connect(server.channel, { extensions: extensions as ClientExtension[] });
    await expect(failure).rejects.toThrow(UsageError);
    await expect(failure).rejects.toThrow(message);
    expect(server.received).toHaveLength(0);
  });
});

describe("client.use()", () => {
  test("returns what the extension offers, made once for each client", async () => {
    let made = 0;
    const counter = { id: "com.example/counter", api: () => ({ number: ++made }) };
    const client = await connect(modernServer().channel, { extensions: [counter] });
    const other = await connect(modernServer().channel, { extensions: [counter] });
    expect(made).toBe(0);
    expect(client.use(counter)).toBe(client.use(counter));
    expect([client.use(counter).number, other.use(counter).number]).toEqual([1, 2]);
    await Promise.all([client.close(), other.close()]);
  });

  test("refuses an extension that connect() was not given, also one of the same name", async () => {
    const create = (): ClientExtension<{ a: 1 }> => ({ id: ID, api: () => ({ a: 1 }) });
    const [given, other] = [create(), create()];
    const client = await connect(modernServer().channel, { extensions: [given] });
    const without = await connect(modernServer().channel);
    expect(client.use(given)).toEqual({ a: 1 });
    for (const use of [() => client.use(other), () => without.use(given), () => client.use(undefined as never)]) {
      expect(use).toThrow(UsageError);
      expect(use).toThrow("was not given to connect()");
    }
    await Promise.all([client.close(), without.close()]);
  });
});

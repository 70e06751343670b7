/** Questions that a server asks while a task is under way. */
import type { ClientOptions, ElicitFormParams } from "@toolwire/client";
import { RpcError } from "@toolwire/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isCall, type Fields } from "../scripted-server.ts";
import { withResolvers } from "../with-resolvers.ts";
import { COMPLETED, connectTasks, DONE, ID, sent, taskOf, taskServer, WORKING, type Looks } from "./task-script.ts";

const form = (message: string): object => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: { type: "object", properties: { name: { type: "string" } } } },
});

const asking = (questions: object): object => taskOf("input_required", { inputRequests: questions });

/** A handler that answers everything, and writes down what it was asked. */
function answering() {
  const asked: string[] = [];
  const elicitation = ({ message }: ElicitFormParams): { action: "accept"; content: { name: string } } => {
    asked.push(message);
    return { action: "accept", content: { name: message } };
  };
  return { asked, elicitation };
}

const ANSWER = (name: string): object => ({ action: "accept", content: { name } });

/** A server whose task waits for input until it has got it. */
function askingServer(
  before: readonly object[],
  after: readonly object[] = [COMPLETED],
  update: (params: Fields) => object = () => ({}),
) {
  let isAnswered = false;
  let next = 0;
  return taskServer([], {
    "tasks/get": () => {
      const looks = isAnswered ? after : before;
      const look = looks[Math.min(next++, looks.length - 1)]!;
      return { resultType: "complete", ...look };
    },
    "tasks/update": (params) => {
      const answer = update(params);
      isAnswered = true;
      next = 0;
      return { resultType: "complete", ...answer };
    },
  });
}

describe("questions of a task", () => {
  test("are answered by the handlers of the client, all of one look together", async () => {
    const { asked, elicitation } = answering();
    const server = askingServer([asking({ one: form("a"), two: form("b") })]);
    const { client } = await connectTasks(server, { elicitation });
    expect(await client.callTool("slow")).toEqual(DONE);
    expect(asked).toEqual(["a", "b"]);
    expect(sent(server, "tasks/update")).toEqual([
      { taskId: ID, inputResponses: { one: ANSWER("a"), two: ANSWER("b") } },
    ]);
    await client.close();
  });

  test("are put to people once, however often the server repeats them", async () => {
    const { asked, elicitation } = answering();
    const looks = [
      asking({ one: form("a") }),
      asking({ one: form("a") }),
      asking({ one: form("a") }),
      WORKING,
      COMPLETED,
    ];
    const server = taskServer(looks);
    const { client } = await connectTasks(server, { elicitation });
    expect(await client.callTool("slow")).toEqual(DONE);
    expect(asked).toEqual(["a"]);
    expect(server.requests("tasks/update")).toHaveLength(1);
    await client.close();
  });

  test("that come later are answered, too, while the first is still open", async () => {
    const first = withResolvers<{ action: "accept"; content: { name: string } }>();
    const asked: string[] = [];
    const elicitation: ClientOptions["elicitation"] = ({ message }) => {
      asked.push(message);
      if (message === "a") return first.promise;
      first.resolve({ action: "accept", content: { name: "a" } });
      return { action: "accept", content: { name: "b" } };
    };
    const answered = new Set<string>();
    const server = taskServer([], {
      "tasks/get": () => ({
        resultType: "complete",
        ...(answered.size === 2
          ? COMPLETED
          : asked.includes("a")
            ? asking({ one: form("a"), two: form("b") })
            : asking({ one: form("a") })),
      }),
      "tasks/update": ({ inputResponses }) => {
        for (const key of Object.keys(inputResponses as object)) answered.add(key);
        return { resultType: "complete" };
      },
    });
    const { client } = await connectTasks(server, { elicitation });
    expect(await client.callTool("slow")).toEqual(DONE);
    expect(asked).toEqual(["a", "b"]);
    await client.close();
  });

  test("keep their keys, also those that look like members of the prototype", async () => {
    const { elicitation } = answering();
    const questions = Object.fromEntries([
      ["__proto__", form("a")],
      ["constructor", form("b")],
    ]);
    const server = askingServer([asking(questions)]);
    const { client } = await connectTasks(server, { elicitation });
    expect(await client.callTool("slow")).toEqual(DONE);
    const [{ inputResponses }] = sent(server, "tasks/update") as [{ inputResponses: object }];
    expect(Object.keys(inputResponses)).toEqual(["__proto__", "constructor"]);
    await client.close();
  });

  test("say what they are about: the call that has become a task", async () => {
    const requests: unknown[] = [];
    const elicitation: ClientOptions["elicitation"] = (_, { request, server }) => {
      requests.push([request?.method, request?.params, server?.name]);
      return { action: "decline" };
    };
    const { client } = await connectTasks(askingServer([asking({ one: form("a") })]), { elicitation });
    await client.callTool("slow", { a: 1 });
    expect(requests).toMatchObject([["tools/call", { name: "slow", arguments: { a: 1 } }, "tasks"]]);
    await client.close();
  });

  test("have their answers sent again until they have arrived", async () => {
    let tries = 0;
    const server = askingServer([asking({ one: form("a") })], [COMPLETED], () => {
      if (++tries === 1) throw new RpcError(-32603, "The store is down.");
      return {};
    });
    const { asked, elicitation } = answering();
    const { client } = await connectTasks(server, { elicitation });
    expect(await client.callTool("slow")).toEqual(DONE);
    expect([asked, sent(server, "tasks/update").length]).toEqual([["a"], 2]);
    await client.close();
  });

  test("are withdrawn when the task is over: the signal of the handler aborts", async () => {
    const shown = withResolvers<AbortSignal>();
    const elicitation: ClientOptions["elicitation"] = (_, { signal }) => {
      shown.resolve(signal);
      return new Promise(() => {});
    };
    const server = taskServer([asking({ one: form("a") }), taskOf("cancelled")]);
    const { client } = await connectTasks(server, { elicitation });
    await expect(client.callTool("slow")).rejects.toMatchObject({ code: "CANCELLED" });
    expect((await shown.promise).aborted).toBe(true);
    expect(server.received.some(isCall("tasks/update"))).toBe(false);
    await client.close();
  });
});

describe("a task that asks what it must not ask is given up, and cancelled", () => {
  const many = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, form("a")]));

  const CASES: { readonly [problem: string]: readonly [looks: Looks, message: string] } = {
    "a key that stands for another question now": [
      [asking({ one: form("a") }), asking({ one: form("b") })],
      'the key "one" stands for two questions',
    ],
    "a question of a kind that the client has not declared": [
      [asking({ one: { method: "roots/list" } })],
      "cannot be answered",
    ],
    "a question of an unknown kind": [[asking({ one: { method: "tasks/get" } })], "cannot be answered"],
    "a question that is none": [[asking({ one: "who?" })], "it must have a `method`"],
    "more questions at once than anybody answers": [[asking(many(101))], "no more than 100 questions at once"],
    "more questions in all than are allowed": [
      [asking(many(3)), asking({ ...many(3), other: form("a"), more: form("b"), most: form("c") })],
      "raise `maxQuestions`",
    ],
  };

  test.each(Object.entries(CASES))("%s", async (_, [looks, message]) => {
    const { elicitation } = answering();
    const server = taskServer(looks);
    const { client } = await connectTasks(server, { elicitation }, { maxQuestions: 5 });
    const failure = client.callTool("slow");
    await expect(failure).rejects.toMatchObject({ name: "ProtocolViolation" });
    await expect(failure).rejects.toThrow(message);
    await server.arrival(isCall("tasks/cancel"));
    await client.close();
  });

  test("one that waits for input for ever, although everything was answered", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { elicitation } = answering();
    const server = taskServer([asking({ one: form("a") })]);
    const { client } = await connectTasks(server, { elicitation });
    const call = expect(client.callTool("slow")).rejects.toThrow("the task waits for input");
    await server.arrival(isCall("tools/call"));
    await vi.advanceTimersByTimeAsync(60_000);
    await call;
    expect(server.requests("tasks/get").length).toBeLessThan(100);
    await client.close();
  });

  test("one whose answers the server does not take", async () => {
    const { elicitation } = answering();
    const server = askingServer([asking({ one: form("a") })], [WORKING], () => {
      throw new RpcError(-32602, "`name` is missing");
    });
    const { client } = await connectTasks(server, { elicitation });
    await expect(client.callTool("slow")).rejects.toMatchObject({ code: -32602, message: "`name` is missing" });
    await server.arrival(isCall("tasks/cancel"));
    await client.close();
  });

  test("one that the server does not know any more when it gets the answers is LOST", async () => {
    const { elicitation } = answering();
    const gone = (): never => {
      throw new RpcError(-32602, "no such task");
    };
    const looks = [asking({ one: form("a") }), gone];
    const { client } = await connectTasks(taskServer(looks, { "tasks/update": gone }), { elicitation });
    await expect(client.callTool("slow")).rejects.toMatchObject({ name: "TaskError", code: "LOST" });
    await client.close();
  });

  test("one whose handler has failed: its error is that of the call", async () => {
    const elicitation = (): never => {
      throw new RangeError("no window");
    };
    const server = taskServer([asking({ one: form("a") })]);
    const { client } = await connectTasks(server, { elicitation });
    await expect(client.callTool("slow")).rejects.toThrow(new RangeError("no window"));
    await server.arrival(isCall("tasks/cancel"));
    await client.close();
  });
});

import { connect, type ClientExtension, type ExtendedCall, type ExtendedNext } from "@toolwire/client";
import { describe, expect, test } from "vitest";
import { modernServer } from "../scripted-server.ts";

declare module "@toolwire/client" {
  interface CallMembers {
    /** For the tests of this file only. */
    readonly receipt?: boolean | { readonly copies: number } | undefined;
  }
  interface CallOutcomes<Result> {
    readonly receipt: { readonly of: Result };
  }
}

const DONE = { resultType: "complete", content: [{ type: "text", text: "done" }] };

/** An extension that returns a receipt to those who ask for one. */
function receipts(
  call?: (call: ExtendedCall, next: ExtendedNext) => Promise<object>,
  id = "com.example/receipts",
): ClientExtension {
  return {
    id,
    callMembers: id === "com.example/receipts" ? ["receipt"] : [],
    call: call ?? (async ({ options }, next) => (options.receipt ? { of: await next() } : next())),
  };
}

describe("an extension around calls of tools", () => {
  test("returns something else to a caller that asks for it by an option, and the result to others", async () => {
    const client = await connect(modernServer({ "tools/call": DONE }).channel, { extensions: [receipts()] });
    const receipt = await client.callTool("pay", {}, { receipt: true });
    expect(receipt.of.content).toEqual(DONE.content);
    expect(await client.callTool("pay", {}, { receipt: false })).toEqual(DONE);
    expect(await client.callTool("pay")).toEqual(DONE);
    await client.close();
  });

  test("changes parameters and options before middleware sees them, and sees nothing of other requests", async () => {
    const order: unknown[] = [];
    const server = modernServer({ "tools/call": DONE, "prompts/get": { resultType: "complete", messages: [] } });
    const extension = receipts((call, next) => {
      order.push("extension");
      return next({
        params: { ...call.params, arguments: { a: 2 } },
        options: { ...call.options, _meta: { "a/b": 1 } },
      });
    });
    const client = await connect(server.channel, {
      extensions: [extension],
      middleware: [
        (call, next) => {
          order.push(call.method, call.params);
          return next();
        },
      ],
    });
    await client.callTool("pay", { a: 1 });
    await client.getPrompt("ask");
    expect(order).toEqual([
      "extension",
      "tools/call",
      { name: "pay", arguments: { a: 2 }, _meta: { "a/b": 1 } },
      "prompts/get",
      { name: "ask" },
    ]);
    await client.close();
  });

  test("is one of several, the first outermost", async () => {
    const order: string[] = [];
    const named = (name: string): ClientExtension =>
      receipts(async (_call, next) => {
        order.push(`${name} begins`);
        const result = await next();
        order.push(`${name} ends`);
        return result;
      }, `com.example/${name}`);
    const client = await connect(modernServer({ "tools/call": DONE }).channel, {
      extensions: [named("a"), named("b")],
    });
    expect(await client.callTool("pay")).toEqual(DONE);
    expect(order).toEqual(["a begins", "b begins", "b ends", "a ends"]);
    await client.close();
  });

  test("fails the call by throwing, also at once, and the options of a call are checked all the same", async () => {
    const failing = receipts(() => {
      throw new RangeError("no paper");
    });
    const client = await connect(modernServer({ "tools/call": DONE }).channel, { extensions: [failing] });
    await expect(client.callTool("pay")).rejects.toThrow(new RangeError("no paper"));
    const other = await connect(modernServer({ "tools/call": DONE }).channel, { extensions: [receipts()] });
    await expect(other.callTool("pay", {}, { timeout: "1 s" as never })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    await Promise.all([client.close(), other.close()]);
  });
});

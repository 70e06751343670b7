import {
  connect,
  type Change,
  type ConnectOptions,
  type ClientDiagnostic,
  type RequestOptions,
} from "@toolwire/client";
import { createServer, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { withResolvers } from "./with-resolvers.ts";

const now = (): never => {
  throw new Error("cannot cope");
};
const later = async (): Promise<never> => {
  await Promise.resolve();
  return now();
};

/** A server whose one tool reports progress and logs, and then takes forever if it is told to. */
async function connected(options: ConnectOptions) {
  const server = createServer({
    name: "talks",
    version: "1",
    tools: {
      talk: tool({
        input: { type: "object", properties: { forever: { type: "boolean" } } },
        run(args, ctx) {
          ctx.log("info", "working");
          ctx.progress(1);
          return (args as { forever?: boolean }).forever === true ? new Promise<string>(() => {}) : "done";
        },
      }),
    },
  });
  const http = await serveHttp(server, { port: 0 });
  onTestFinished(() => http.close());
  const reported: string[] = [];
  const report = withResolvers<ClientDiagnostic>();
  const client = await connect(http.url, {
    logLevel: "info",
    ...options,
    onDiagnostic(event) {
      reported.push(event.message);
      report.resolve(event);
    },
  });
  onTestFinished(() => client.close());
  return { server, client, reported, report };
}

describe.each([
  ["at once", now],
  ["later", later],
])("a listener that fails %s", (_, fail) => {
  test.each(["onNotification", "onLog"])("is reported if it is %s, and nothing else suffers", async (name) => {
    const { client, report } = await connected({ [name]: fail });
    expect((await client.callTool("talk")).content).toMatchObject([{ text: "done" }]);
    expect(await report.promise).toMatchObject({
      level: "error",
      message: "A listener failed at notifications/message: Error: cannot cope",
    });
  });

  test("is reported if it fails at a change, and hears the next one", async () => {
    const { server, client, reported, report } = await connected({});
    const heard: Change[] = [];
    const second = withResolvers<void>();
    const subscription = await client.subscribe({ tools: true }, (change) => {
      heard.push(change);
      if (heard.length === 1) return fail();
      return second.resolve();
    });
    server.tools.add("another", tool({ run: () => "" }));
    await report.promise;
    server.tools.remove("another");
    await second.promise;
    expect(heard).toEqual([{ kind: "tools" }, { kind: "tools" }]);
    expect(reported).toEqual(["A listener failed at a change: Error: cannot cope"]);
    await subscription[Symbol.asyncDispose]();
  });

  test.each(["onProgress", "onLog"])("gives up the call if it is the %s of a call", async (name) => {
    const { client } = await connected({});
    const options: RequestOptions = { [name]: fail };
    await expect(client.callTool("talk", { forever: true }, options)).rejects.toThrow("cannot cope");
  });
});

test.each(["onProgress", "onLog"])("a listener %s that fails when the call is over does no harm", async (name) => {
  const { client, reported } = await connected({});
  const over = withResolvers<void>();
  let failing: Promise<never> | undefined;
  const listener = (): Promise<never> => (failing = over.promise.then(now));
  await client.callTool("talk", {}, { [name]: listener });
  over.resolve();
  await expect(failing).rejects.toThrow("cannot cope");
  expect(reported).toEqual([]);
});

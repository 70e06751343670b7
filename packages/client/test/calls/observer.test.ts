/** What an observer of a client gets to see: every request as it leaves the client, and how each one ends. */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  connect,
  type ClientObserver,
  type ClientOptions,
  type SentObservation,
  type SentRequest,
} from "@toolwire/client";
import { RpcError, TransportError, UsageError } from "@toolwire/protocol";
import { createServer, resource, tool } from "@toolwire/server";
import { serveHttp } from "@toolwire/server/http";
import { serveInMemory } from "@toolwire/server/memory";
import { describe, expect, onTestFinished, test } from "vitest";

interface Seen {
  readonly request: SentRequest;
  readonly observation: SentObservation;
  readonly ends: ({ readonly result: object } | { readonly error: unknown })[];
  id: string | number | undefined;
  acknowledged: number;
}

const place = new AsyncLocalStorage<string>();

function keeper() {
  const seen: Seen[] = [];
  const questions: { method: string; end?: unknown }[] = [];
  const sessions: { host: string | undefined; revision: string | undefined; ends: unknown[] }[] = [];
  const observer: ClientObserver = {
    request(request) {
      const observation: SentObservation = {
        meta: { traceparent: `00-${seen.length}` },
        sent: (id) => void (entry.id = id),
        acknowledged: () => void entry.acknowledged++,
        end: (outcome) => void entry.ends.push(outcome),
      };
      const entry: Seen = { request, observation, ends: [], id: undefined, acknowledged: 0 };
      seen.push(entry);
      return observation;
    },
    question({ method }) {
      const entry: { method: string; end?: unknown } = { method };
      questions.push(entry);
      return { run: (work) => place.run(`answering ${method}`, work), end: (outcome) => void (entry.end = outcome) };
    },
    session({ server }) {
      const entry = { host: server.host, revision: server.revision, ends: [] as unknown[] };
      sessions.push(entry);
      return { end: (error) => void entry.ends.push(error) };
    },
  };
  const of = (method: string) => seen.filter(({ request }) => request.method === method);
  return { observer, seen, of, questions, sessions };
}

/** The `_meta` of each call, as the server got it. */
const metas: unknown[] = [];

const server = createServer({
  name: "observed",
  version: "1",
  onDiagnostic() {},
  cache: { read: { ttlMs: 60_000 } },
  tools: {
    echo: tool({ run: (_, { _meta }) => (metas.push(_meta["traceparent"]), "echo") }),
    ask: tool({ run: async (_, ctx) => `${(await ctx.roots()).length} roots` }),
    refuse: tool({
      run() {
        throw new RpcError(1050, "not today");
      },
    }),
    hang: tool({
      run: (_, { signal }) => new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve(""))),
    }),
  },
  resources: { fixed: resource({ uri: "x://fixed", read: () => "text" }) },
});

async function connected(options: ClientOptions) {
  const client = await connect(serveInMemory(server), { onDiagnostic() {}, ...options });
  onTestFinished(() => client.close());
  return client;
}

describe("an observer of a client", () => {
  test.each(["modern", "legacy"] as const)(
    "sees every request of the %s era with its id and its outcome",
    async (era) => {
      const { observer, seen, of } = keeper();
      const client = await connected({ observe: observer, era });
      await client.callTool("echo");
      await expect(client.callTool("refuse")).rejects.toThrow("not today");
      expect(seen[0]?.request).toMatchObject({
        method: era === "modern" ? "server/discover" : "initialize",
        previous: undefined,
      });
      expect(seen.every(({ ends, id }) => ends.length === 1 && id !== undefined)).toBe(true);
      const [echoed, refused] = of("tools/call");
      expect(echoed?.request).toMatchObject({ params: { name: "echo" }, server: { revision: client.revision } });
      expect(echoed?.ends).toMatchObject([{ result: { content: [{ text: "echo" }] } }]);
      expect(refused?.ends).toMatchObject([{ error: { code: 1050 } }]);
    },
  );

  test("adds what it wants to the meta of each request, beside what the caller gave", async () => {
    const { observer, seen } = keeper();
    const client = await connected({ observe: observer });
    metas.length = 0;
    await client.callTool("echo", {}, { _meta: { traceparent: "of the caller", "com.example/kept": 1 } });
    expect(metas).toEqual([seen.at(-1)?.observation.meta?.["traceparent"]]);
  });

  test("does not keep results out of the cache, and sees no request that the cache answers", async () => {
    const { observer, of } = keeper();
    const client = await connected({ observe: observer });
    await client.readResource("x://fixed");
    await client.readResource("x://fixed");
    expect(of("resources/read")).toHaveLength(1);
  });

  test("sees each round of questions as a request of its own, with the one before it", async () => {
    const { observer, of } = keeper();
    const client = await connected({ observe: observer, era: "modern", roots: [{ uri: "file:///a" }] });
    await client.callTool("ask");
    const [first, second, ...rest] = of("tools/call");
    expect(rest).toEqual([]);
    expect(first?.ends).toMatchObject([{ result: { resultType: "input_required" } }]);
    expect(first?.request.previous).toBeUndefined();
    expect(second?.request.previous).toBe(first?.observation);
    expect(second?.ends).toMatchObject([{ result: { content: [{ text: "1 roots" }] } }]);
  });

  test("sees the questions of a legacy server with the answers, and handlers run in its context", async () => {
    const { observer, questions } = keeper();
    let where: string | undefined;
    const roots = () => {
      where = place.getStore();
      return [{ uri: "file:///a" }];
    };
    const client = await connected({ observe: observer, era: "legacy", roots });
    await client.callTool("ask");
    expect(questions).toMatchObject([{ method: "roots/list", end: { result: { roots: [{}] } } }]);
    expect(where).toBe("answering roots/list");
  });

  test("sees time limits and cancellations as the errors that they are", async () => {
    const { observer, of } = keeper();
    const client = await connected({ observe: observer });
    await expect(client.callTool("hang", {}, { timeout: 1 })).rejects.toThrow(TransportError);
    const stop = new AbortController();
    const call = client.callTool("hang", {}, { signal: stop.signal });
    await expect.poll(() => of("tools/call").length).toBe(2);
    const reason = new Error("no more");
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    const [late, cancelled] = of("tools/call");
    expect(late?.ends).toMatchObject([{ error: { code: "TIMEOUT" } }]);
    expect(cancelled?.ends).toEqual([{ error: reason }]);
  });

  test("sees when a subscription is acknowledged, and its end when it is closed", async () => {
    const { observer, of } = keeper();
    const client = await connected({ observe: observer, era: "modern" });
    const subscription = await client.subscribe({ tools: true }, () => {});
    expect(of("subscriptions/listen")).toMatchObject([{ acknowledged: 1, ends: [] }]);
    subscription.close();
    await expect.poll(() => of("subscriptions/listen")[0]?.ends.length).toBe(1);
  });

  test("learns the host of the server, without the path and the query, and the end of the client", async () => {
    const { observer, seen, sessions } = keeper();
    const served = await serveHttp(server, { port: 0 });
    onTestFinished(() => served.close());
    const client = await connect(`${served.url}?token=hunter2`, { observe: observer, onDiagnostic() {} });
    expect(seen[0]?.request.server).toEqual({ binding: "http", host: "127.0.0.1", port: served.port });
    expect(JSON.stringify(seen)).not.toContain("hunter2");
    expect(sessions).toEqual([{ host: "127.0.0.1", revision: client.revision, ends: [] }]);
    await client.close();
    await expect.poll(() => sessions[0]?.ends).toEqual([undefined]);
  });

  test("costs no call anything if it fails, and its failures are reported", async () => {
    const boom = (): never => {
      throw new Error("boom");
    };
    const failures: unknown[] = [];
    const client = await connected({
      era: "legacy",
      roots: [],
      observe: {
        request: () => ({ sent: boom, end: boom }),
        question: () => ({ run: boom, end: boom }),
        session: boom,
      },
      onDiagnostic: ({ error }) => void failures.push(error),
    });
    expect((await client.callTool("ask")).content).toMatchObject([{ text: "0 roots" }]);
    expect(failures).toContainEqual(new Error("boom"));
  });

  test("is refused if it is none", async () => {
    await expect(connected({ observe: "telemetry" as never })).rejects.toThrow(UsageError);
    await expect(connected({ observe: { request: 1 } as never })).rejects.toThrow(/observe/);
  });
});

/** Topics of subscriptions, members of the context, and what extensions do on their own. */
import { describe, expect, onTestFinished, test } from "vitest";
import { createMemoryEngine } from "../../src/cluster/index.ts";
import { createServer, ErrorCode, type ExtensionHost, RpcError, type ServerExtension, tool } from "../../src/index.ts";
import { serveHttp } from "../../src/http.ts";
import { ModernClient } from "../wire-client.ts";

const ID = "com.example/news";
const DECLARED = { capabilities: { extensions: { [ID]: {} } } };
const ACK = "notifications/subscriptions/acknowledged";
const NEWS = "notifications/com.example/news";

interface News {
  readonly extension: ServerExtension;
  readonly hosts: ExtensionHost[];
  ends: number;
}

/** Callers may subscribe to their own places only. */
function news(): News {
  const made: News = {
    hosts: [],
    ends: 0,
    extension: {
      id: ID,
      topics: {
        newsOf: {
          accept(wanted, { principal }) {
            if (!Array.isArray(wanted)) throw new RpcError(ErrorCode.InvalidParams, "`newsOf` is an array");
            const places = (wanted as string[]).filter((place) => place.startsWith(principal?.id ?? ""));
            if (places.length === 0) return undefined;
            return {
              accepted: places,
              notify: async (event) => {
                if (event === undefined) {
                  return places.map((place) => ({ method: NEWS, params: { place, missed: true } }));
                }
                const { place } = event as { place: string };
                return places.includes(place) ? { method: NEWS, params: { place } } : undefined;
              },
            };
          },
        },
      },
      start(host) {
        made.hosts.push(host);
        return () => {
          made.ends += 1;
        };
      },
    },
  };
  return made;
}

const define = ({ extension }: News) => createServer({ name: "x", version: "1", extensions: [extension] });

describe("a topic", () => {
  test("is acknowledged as far as it was agreed to, and tells of the events that concern its subscriber", async () => {
    const made = news();
    const client = new ModernClient(define(made), { ...DECLARED, principal: { id: "ada" } });
    client.start("subscriptions/listen", { notifications: { newsOf: ["ada/1", "bob/1"] } });
    expect((await client.notification(ACK)).params.notifications).toStrictEqual({ newsOf: ["ada/1"] });
    for (const place of ["bob/1", "ada/2", "ada/1"]) made.hosts[0]?.publish("newsOf", { place });
    const told = await client.notification(NEWS);
    expect(told.params).toMatchObject({ place: "ada/1", _meta: { "io.modelcontextprotocol/subscriptionId": 1 } });
    expect(client.notifications(NEWS)).toHaveLength(1);
  });

  test("is left out of the acknowledgement if the client gets nothing of it", async () => {
    const client = new ModernClient(define(news()), { ...DECLARED, principal: { id: "ada" } });
    client.start("subscriptions/listen", { notifications: { newsOf: ["bob/1"] } });
    expect((await client.notification(ACK)).params.notifications).toStrictEqual({});
  });

  test("is refused by -32021 to clients that do not declare the extension, and by its own error if malformed", async () => {
    const server = define(news());
    const ask = (client: ModernClient, newsOf: unknown): Promise<unknown> =>
      client.request("subscriptions/listen", { notifications: { newsOf } });
    await expect(ask(new ModernClient(server), ["a"])).rejects.toMatchObject({
      code: ErrorCode.MissingRequiredClientCapability,
      data: { requiredCapabilities: { extensions: { [ID]: {} } } },
    });
    await expect(ask(new ModernClient(server, DECLARED), 7)).rejects.toMatchObject({ code: ErrorCode.InvalidParams });
  });

  test("reaches subscribers of all nodes of a cluster", async () => {
    const [one, two] = [news(), news()];
    const engine = createMemoryEngine();
    const first = new ModernClient(define(one), { ...DECLARED, cluster: engine.connect() });
    const second = new ModernClient(define(two), { ...DECLARED, cluster: engine.connect() });
    second.start("subscriptions/listen", { notifications: { newsOf: ["a"] } });
    await second.notification(ACK);
    one.hosts[0]?.publish("newsOf", { place: "a" });
    expect((await second.notification(NEWS)).params).toMatchObject({ place: "a" });
    await Promise.all([first.disconnect(), second.disconnect()]);
  });

  test("can be published to by its own extension only", async () => {
    const made = news();
    const client = new ModernClient(define(made));
    expect(() => made.hosts[0]?.publish("toolsListChanged", {})).toThrow(/no topic/);
    await client.disconnect();
  });
});

describe("what an extension does on its own", () => {
  test("begins with the first binding, and ends when the last has closed", async () => {
    const made = news();
    const server = define(made);
    expect(made.hosts).toHaveLength(0);
    const served = await serveHttp(server, { port: 0 });
    const client = new ModernClient(server);
    await client.request("server/discover");
    expect(made.hosts).toHaveLength(1);
    await client.disconnect();
    expect(made.ends).toBe(0);
    await served.close();
    expect(made.ends).toBe(1);
  });

  test("cannot seal anything for later without a key, and can with one", async () => {
    const made = news();
    const client = new ModernClient(define(made));
    expect(made.hosts[0]?.createSeal("tasks")).toBeUndefined();
    const keyed = news();
    const options = { name: "x", version: "1", stateKey: "k".repeat(32), extensions: [keyed.extension] };
    const other = new ModernClient(createServer(options));
    const seal = keyed.hosts[0]?.createSeal("tasks");
    const text = await seal?.seal({ a: 1 }, "ada");
    expect(text).not.toContain("ada");
    expect(await seal?.open(text ?? "", "ada")).toStrictEqual({ value: { a: 1 } });
    expect(await seal?.open(text ?? "", "bob")).toBeUndefined();
    expect(await keyed.hosts[0]?.createSeal("other")?.open(text ?? "", "ada")).toBeUndefined();
    await Promise.all([client.disconnect(), other.disconnect()]);
  });

  test("that cannot begin keeps the server from being served", async () => {
    const start = (): never => {
      throw new Error("no disk");
    };
    const server = createServer({ name: "x", version: "1", extensions: [{ id: ID, start }] });
    await expect(serveHttp(server, { port: 0 })).rejects.toThrow("no disk");
  });
});

test("a member that an extension adds to the context is there for every handler, and can be destructured", async () => {
  const extension: ServerExtension = {
    id: ID,
    context: {
      shout:
        ({ principal }) =>
        (text: string) =>
          `${text} ${principal?.id}!`,
    },
  };
  const run = (_args: unknown, ctx: object): string => {
    const { shout } = ctx as { shout: (text: string) => string };
    return shout("Hi");
  };
  const server = createServer({ name: "x", version: "1", extensions: [extension], tools: { greet: tool({ run }) } });
  const client = new ModernClient(server, { principal: { id: "ada" } });
  onTestFinished(() => client.disconnect());
  expect(await client.callTool("greet")).toMatchObject({ content: [{ text: "Hi ada!" }] });
});

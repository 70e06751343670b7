import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { connect, type Era } from "@toolwire/client";
import { createHttpTransport } from "@toolwire/client/http";
import { createNodeHandler } from "@toolwire/server/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { handler } from "./deployment/lambda.ts";
import { DELETE, GET, OPTIONS, POST } from "./deployment/route.ts";
import { server } from "./deployment/server.ts";
import { eventually } from "./eventually.ts";

const ERAS: readonly Era[] = ["modern", "legacy"];

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

/** Listens on a free port until the test ends. */
async function listen(listener: Server): Promise<number> {
  await once(listener.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void listener.close());
  return (listener.address() as AddressInfo).port;
}

test.each(["route.ts", "lambda.ts"])("the README of the server shows %s as it is tested here", (name) => {
  const example = read(`deployment/${name}`).replaceAll('"./server.ts"', '"./server.js"');
  expect(read("../packages/server/README.md")).toContain(`\`\`\`ts\n${example}\`\`\``);
});

describe("a route handler of Next.js", () => {
  const route = { DELETE, GET, OPTIONS, POST };

  /** Turns requests of Node into those of the web for the function that the method is exported as, as Next.js does. */
  function serveRoute(seen: string[]): RequestListener {
    return async (request, response) => {
      const { method = "", headers, url } = request;
      seen.push(method);
      const aborted = new AbortController();
      response.on("close", () => aborted.abort());
      const answer = await route[method as keyof typeof route](
        new Request(`http://${headers.host}${url}`, {
          method,
          headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
          body: method === "POST" ? Readable.toWeb(request) : null,
          duplex: "half",
          signal: aborted.signal,
        } as RequestInit),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body === null) response.end();
      else Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response);
    };
  }

  test.each([
    ["modern", ["POST"]],
    ["legacy", ["DELETE", "GET", "POST"]],
  ] as const)("serves clients of the %s era by the functions that it exports: %j", async (era, methods) => {
    const seen: string[] = [];
    const port = await listen(createServer(serveRoute(seen)));
    const client = await connect(`http://localhost:${port}/api/mcp`, { era });
    const { content } = await client.callTool("find_product", { name: "teapot" });
    expect(content).toEqual([{ type: "text", text: "There are three of teapot." }]);
    // The stream of a session is opened beside the calls.
    if (era === "legacy") await eventually(() => expect(seen).toContain("GET"));
    await client.close();
    expect([...new Set(seen)].toSorted()).toEqual(methods);
  });

  test("tells browsers which pages may call it", async () => {
    const port = await listen(createServer(serveRoute([])));
    const ask = (origin: string) =>
      fetch(`http://localhost:${port}/api/mcp`, { method: "OPTIONS", headers: { origin } });
    const [own, other] = [await ask(`http://localhost:${port}`), await ask("https://evil.example.com")];
    expect([own.status, own.headers.get("access-control-allow-methods")]).toEqual([204, "GET, POST, DELETE"]);
    expect(other.status).toBe(403);
  });
});

describe("a function of AWS Lambda", () => {
  type Handler = typeof handler;
  const URL_OF_FUNCTION = "https://mcp.example.com/mcp";

  /** Sends requests as events to the instances of a function in turn, and takes what they return for responses. */
  function invoke(instances: readonly Handler[], isBase64Encoded = false): typeof fetch {
    let calls = 0;
    return async (input, init) => {
      const request = new Request(input, init);
      const url = new URL(request.url);
      const text = await request.text();
      const instance = instances[calls++ % instances.length]!;
      const { statusCode, headers, body } = await instance({
        rawPath: url.pathname,
        rawQueryString: url.search.slice(1),
        headers: { ...Object.fromEntries(request.headers), host: url.host },
        requestContext: { http: { method: request.method } },
        ...(text !== "" && { body: isBase64Encoded ? Buffer.from(text).toString("base64") : text }),
        isBase64Encoded,
      });
      return new Response(body === "" ? null : body, { status: statusCode, headers });
    };
  }

  /** Another instance: a process of its own, which gets one event at a time. */
  function startInstance(): Handler {
    const program = fileURLToPath(new URL("deployment/instance.ts", import.meta.url));
    const child = fork(program, { execArgv: ["--conditions=@toolwire/source", "--import", "tsx"] });
    onTestFinished(async () => {
      const exit = once(child, "exit");
      child.kill();
      await exit;
    });
    let last: Promise<unknown> = Promise.resolve();
    return async (event) => {
      const answered = last.then(async () => {
        child.send(event);
        return (await once(child, "message")) as [Awaited<ReturnType<Handler>>];
      });
      last = answered;
      const [answer] = await answered;
      return answer;
    };
  }

  test.each(ERAS)("answers clients of the %s era, whichever instance gets a request", async (era) => {
    const fetch = invoke([handler, startInstance()]);
    const client = await connect(URL_OF_FUNCTION, { era, http: { fetch } });
    onTestFinished(() => client.close());
    const progress: number[] = [];
    const onProgress = (report: { progress: number }) => void progress.push(report.progress);
    const { content } = await client.callTool("greet", { name: "Zoë" }, { onProgress });
    expect(content).toEqual([{ type: "text", text: "Hello, Zoë!" }]);
    expect(progress).toEqual([1]);
  });

  test("asks modern clients, whichever instance gets the answer", async () => {
    const instances = [handler, startInstance()];
    const elicitation = () => ({ action: "accept", content: { size: "L" } }) as const;
    const client = await connect(URL_OF_FUNCTION, { era: "modern", http: { fetch: invoke(instances) }, elicitation });
    onTestFinished(() => client.close());
    for (let count = 0; count < instances.length; count++) {
      const { content } = await client.callTool("order");
      expect(content).toEqual([{ type: "text", text: "One of size L." }]);
      await client.callTool("greet", { name: "next" }); // lets the other instance begin
    }
  });

  test("reads bodies that API Gateway has encoded", async () => {
    const client = await connect(URL_OF_FUNCTION, { era: "modern", http: { fetch: invoke([handler], true) } });
    onTestFinished(() => client.close());
    expect((await client.callTool("greet", { name: "Zoë" })).content).toMatchObject([{ text: "Hello, Zoë!" }]);
  });

  test("refuses subscriptions, which would keep it running until it is stopped", async () => {
    const client = await connect(URL_OF_FUNCTION, { era: "modern", http: { fetch: invoke([handler]) } });
    onTestFinished(() => client.close());
    await expect(client.subscribe({ tools: true }, () => {})).rejects.toThrow("Too many subscriptions (limit 0)");
  });

  test("answers to no other name than its own", async () => {
    const answer = await invoke([handler])("https://other.example.com/mcp", { method: "POST", body: "{}" });
    expect(answer.status).toBe(403);
  });
});

describe("a handler on a server of node:https", () => {
  const pem = read("../packages/client/test/transports/http/fixtures/self-signed.pem");

  test.each(ERAS)("serves clients of the %s era", async (era) => {
    const listener = createNodeHandler(server, { path: "/mcp" });
    onTestFinished(() => listener.close());
    const port = await listen(createTlsServer({ cert: pem, key: pem }, listener));
    const url = `https://localhost:${port}/mcp`;
    const open = () => createHttpTransport(url, { connect: { ca: pem } });
    const client = await connect(open, { era, elicitation: () => ({ action: "accept", content: { size: "S" } }) });
    const progress: number[] = [];
    const { content } = await client.callTool(
      "greet",
      { name: "Ada" },
      { onProgress: (report) => void progress.push(report.progress) },
    );
    expect(content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
    expect(progress).toEqual([1]);
    expect((await client.callTool("order")).content).toMatchObject([{ text: "One of size S." }]);
    await client.close();
  });
});

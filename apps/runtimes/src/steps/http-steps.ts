import type { Revision } from "@toolwire/protocol";
import { expectSame, expectThat } from "./expect.ts";
import type { Steps } from "./outcomes.ts";

/** How long an event stream may be quiet: short, so that nobody has to wait for a comment. */
export const KEEP_ALIVE_MS = 100;

/** The page that may call the server from a browser. */
export const ALLOWED_ORIGIN = "http://localhost:5173";

const JSON_TYPE = "application/json";
const EVENTS_TYPE = "text/event-stream";

/** Checks the duties of an HTTP server that clients do not show. */
export function httpSteps(url: string, revision: Revision): Steps {
  return {
    async guard() {
      expectSame("the status for a page of somebody else", await statusFor(url, "http://evil.example"), 403);
      expectSame("the status for a page of this machine", await statusFor(url, ALLOWED_ORIGIN), 204);
      expectSame("the status for another path", (await fetch(new URL("/nowhere", url))).status, 404);
    },
    async "keep-alive"() {
      const open = revision === "2026-07-28" ? openSubscription : openSessionStream;
      // Twice: timers of some runtimes end with the request in which they were set.
      for (let streams = 0; streams < 2; streams++) await expectComment(await open(url, revision));
    },
  };
}

/** The question of a browser before it lets a page call (WHATWG Fetch, "CORS-preflight request"). */
async function statusFor(url: string, origin: string): Promise<number> {
  const headers = { Origin: origin, "Access-Control-Request-Method": "POST" };
  const response = await fetch(url, { method: "OPTIONS", headers });
  await response.body?.cancel();
  return response.status;
}

function openSubscription(url: string, revision: Revision): Promise<Response> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "runtimes", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { _meta: meta, notifications: { toolsListChanged: true } };
  return post(url, "subscriptions/listen", params, { "Mcp-Protocol-Version": revision });
}

async function openSessionStream(url: string, revision: Revision): Promise<Response> {
  const clientInfo = { name: "runtimes", version: "1.0.0" };
  const opened = await post(url, "initialize", { protocolVersion: revision, capabilities: {}, clientInfo }, {});
  await opened.text();
  const session = opened.headers.get("mcp-session-id") ?? "";
  return fetch(url, {
    headers: { Accept: EVENTS_TYPE, "Mcp-Session-Id": session, "Mcp-Protocol-Version": revision },
  });
}

function post(url: string, method: string, params: object, headers: { [name: string]: string }): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "Content-Type": JSON_TYPE, Accept: `${JSON_TYPE}, ${EVENTS_TYPE}`, "Mcp-Method": method, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

/** Reads a stream of events until a comment shows that it is kept alive. */
async function expectComment({ status, body }: Response): Promise<void> {
  expectSame("the status", status, 200);
  expectThat("there is a stream", body !== null, status);
  const decoder = new TextDecoder();
  let text = "";
  // Leaving the loop closes the stream.
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (/^:/m.test(text)) return;
  }
  throw new Error(`the stream ended without a comment: ${JSON.stringify(text)}`);
}

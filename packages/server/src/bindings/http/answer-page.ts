/** Answers a person who opens an endpoint in a browser. */
import type { Revision } from "@toolwire/protocol";
import { pathOf } from "../admission/hosts.ts";
import type { Refusal } from "../admission/refusals.ts";
import { TIMED_OUT, withTimeout } from "../admission/with-timeout.ts";
import type { HeaderList } from "./adapter.ts";
import { refuse, requestFailed } from "./errors.ts";
import { prefersPage } from "./landing-page/accept.ts";
import { type PublicServer, readPublicServer } from "./landing-page/public-server.ts";
import { writeUrl } from "./landing-page/snippets.ts";
import { pageHeaders, writeProtectedPage, writeServerPage } from "./landing-page/write-page.ts";
import type { LandingPage } from "./options.ts";
import type { HttpRequest } from "./request.ts";

/** How long middleware may take to list what the page shows. */
const TIMEOUT_MS = 5000;

const NOTHING: PublicServer = { info: {}, instructions: undefined, tools: [], hasMoreTools: false };

/** Whether a request should get a page. Streams and everything else that programs ask for comes first. */
export function wantsPage({ adapter, endpoint }: HttpRequest): boolean {
  const { method } = adapter;
  if (endpoint.settings.landingPage === false || (method !== "GET" && method !== "HEAD")) return false;
  return prefersPage(adapter.header("accept"));
}

/**
 * Responds with the page. Where callers have to say who they are, it tells nothing about the server, whoever asks. `refusal`: why the
 * request was not let in.
 */
export async function answerPage(request: HttpRequest, refusal?: Refusal): Promise<void> {
  const { landingPage, callerCheck } = request.endpoint.settings;
  try {
    if (typeof landingPage === "function") await answerOwn(request, landingPage);
    else {
      const { status = 200, headers = [] } = refusal ?? {};
      if (refusal !== undefined) request.endpoint.server.refused({ binding: "http", status });
      const fields = [...(await pageHeaders()), ...headers];
      const body = callerCheck === undefined ? await writePublic(request) : writeProtectedPage(urlOf(request));
      if (body !== undefined) request.respond(status, fields, body);
    }
  } catch (error) {
    refuse(request, requestFailed(request.endpoint.server, error));
  }
}

/** Writes the page of a server that lets everybody in. While it is made, it counts as a request in flight. */
async function writePublic(request: HttpRequest): Promise<string | undefined> {
  const { adapter, client, connection, endpoint } = request;
  const { limits, server, revisions } = endpoint;
  const refusal = limits.check(client, 1);
  if (refusal !== undefined) {
    refuse(request, refusal);
    return undefined;
  }
  const abort = new AbortController();
  limits.add(client, 1);
  adapter.onDisconnect({ disconnected: () => abort.abort() });
  try {
    const busyUntil = (settled: Promise<void>): void => limits.addUntil(client, 1, settled);
    const work = readPublicServer(server, { connection, signal: abort.signal, busyUntil });
    const read = await withTimeout(TIMEOUT_MS, work);
    const [newest] = revisions as readonly [Revision];
    return writeServerPage(read === TIMED_OUT ? NOTHING : read, urlOf(request), newest);
  } finally {
    abort.abort();
    limits.add(client, -1);
  }
}

/** The URL by which the client has reached the endpoint. A proxy that ends TLS says so; to lie about it changes one's own page only. */
function urlOf({ adapter }: HttpRequest): string | undefined {
  const isForwarded = /^https(?:,|$)/i.test(adapter.header("x-forwarded-proto") ?? "");
  return writeUrl(adapter.isEncrypted || isForwarded, adapter.header("host"), pathOf(adapter.target));
}

async function answerOwn(request: HttpRequest, page: LandingPage): Promise<void> {
  const { method, target, raw, address } = request.adapter;
  const header = (name: string): string | undefined => request.header(name.toLowerCase());
  const response = await page({ method, target, raw, address, header });
  const fields: HeaderList = [...response.headers].flat();
  request.respond(response.status, fields, await response.text());
}

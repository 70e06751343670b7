/** The server as everybody sees it: what it answers to a client that nobody has authenticated. */
import {
  encodeMessage,
  eraOf,
  MetaKey,
  type Implementation,
  type ResponseMessage,
  type Tool,
} from "@toolwire/protocol";
import type { Origin, ServerBinding } from "../../../binding.ts";

/** The facts that a page shows of a server. */
export interface PublicServer {
  readonly info: Partial<Implementation>;
  readonly instructions: string | undefined;
  /** The first tools. */
  readonly tools: readonly Pick<Tool, "name" | "title" | "description">[];
  readonly hasMoreTools: boolean;
}

/** The most tools that a page lists. */
const MAX_TOOLS = 200;

/** The requests of one page, as far as limits and the end of the connection matter. */
export interface PageWork {
  /** Whose requests they are: rate limits are kept by connection. */
  readonly connection: object;
  readonly signal: AbortSignal;
  /** Is told of work that goes on although nobody waits for it. */
  readonly busyUntil: (settled: Promise<void>) => void;
}

/**
 * Asks the server about itself, as a client does. So all of its middleware decides on what is shown, and no rule about who may see what has to be
 * known here. The client has no principal and no headers, whoever opens the page. A server without a modern revision is not
 * asked: it answers only to clients that have shaken hands.
 */
export async function readPublicServer(server: ServerBinding, work: PageWork): Promise<PublicServer> {
  const discovered = await ask(server, work, "server/discover");
  const tools: Tool[] = [];
  let cursor: string | undefined;
  if (discovered !== undefined) {
    do {
      const page = await ask(server, work, "tools/list", cursor);
      tools.push(...((page?.["tools"] ?? []) as readonly Tool[]));
      cursor = page?.["nextCursor"] as string | undefined;
    } while (cursor !== undefined && tools.length < MAX_TOOLS);
  }
  const meta = (discovered?.["_meta"] ?? {}) as { readonly [MetaKey.ServerInfo]?: Implementation };
  return {
    info: meta[MetaKey.ServerInfo] ?? {},
    instructions: discovered?.["instructions"] as string | undefined,
    tools: tools.slice(0, MAX_TOOLS),
    hasMoreTools: cursor !== undefined || tools.length > MAX_TOOLS,
  };
}

/** Sends a request. Resolves to `undefined` if it is refused, or not answered before the end. */
function ask(
  server: ServerBinding,
  { connection, signal, busyUntil }: PageWork,
  method: string,
  cursor?: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [revision] = server.revisions;
  if (revision === undefined || eraOf(revision) !== "modern" || signal.aborted) return Promise.resolve(undefined);
  const meta = { [MetaKey.ProtocolVersion]: revision, [MetaKey.ClientCapabilities]: {} };
  const origin: Origin = { binding: "http", connection, header: () => undefined };
  return new Promise((resolve) => {
    const respond = (message: ResponseMessage): void => {
      const { result } = JSON.parse(encodeMessage(message)) as { readonly result?: Readonly<Record<string, unknown>> };
      resolve(result);
    };
    const params = { ...(cursor !== undefined && { cursor }), _meta: meta };
    const exchange = server.serve(
      { jsonrpc: "2.0", id: 1, method, params },
      { notify: () => undefined, respond, busyUntil },
      origin,
    );
    const end = (): void => {
      exchange.cancel("nobody waits for the page");
      resolve(undefined);
    };
    signal.addEventListener("abort", end, { once: true });
  });
}

import { type RequestId, type ResponseMessage, UsageError } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";
import type { ServerBinding, ServerConnection, TextSeal } from "../../../binding.ts";
import type { HttpRequest } from "../../../bindings/http/request.ts";
import { HttpResponse, type Statuses } from "../../../bindings/http/response.ts";

/** The longest id: it travels in a header, and some proxies take no more than 4 KB of headers. */
const MAX_ID = 3800;

/** The most bytes of facts, so that their base64 with all that belongs to it is not longer than an id may be. */
const MAX_FACTS = 2700;

/** How many sessions that were opened are remembered, so that their next request need not open them again. */
const MAX_REMEMBERED = 1000;

interface Remembered {
  readonly principal: string | undefined;
  readonly until: number;
  readonly state: ServerConnection;
}

/**
 * Sessions whose facts travel in their id, sealed. Nothing is kept of them, so any process with the same keys serves them. The id is
 * bound to the name of the server, and to the caller.
 */
export class SealedSessions {
  readonly #server: ServerBinding;
  readonly #seal: TextSeal;
  readonly #maxAge: number;
  readonly #remembered = new Map<string, Remembered>();

  /** Throws a `UsageError` if the server has no keys that other processes know. */
  constructor(server: ServerBinding, { maxAge }: { readonly maxAge: number }) {
    const seal = server.createSeal?.("legacy session", maxAge);
    if (seal === undefined) throw noKeys();
    this.#server = server;
    this.#seal = seal;
    this.#maxAge = maxAge;
  }

  /** Makes the response to a handshake, which opens a session, and the state that the handshake fills in. */
  open(request: HttpRequest, id: RequestId, statuses: Statuses): HttpResponse {
    const principal = request.principal?.id;
    let session: string | undefined;
    request.state = this.#server.openConnection({
      sharing: {
        maxFacts: MAX_FACTS,
        keep: async ({ facts }) => {
          if (facts !== undefined) session = await this.#close(facts, principal);
        },
      },
    });
    return new SealedHandshake(request, id, statuses, () => session);
  }

  /** Finds the session of an id. One that was opened here before is found at once. */
  find(
    id: string,
    principal: string | undefined,
  ): ServerConnection | undefined | Promise<ServerConnection | undefined> {
    const known = this.#remembered.get(id);
    if (known === undefined) return id.length > MAX_ID ? undefined : this.#open(id, principal);
    return known.principal === principal && known.until > Date.now() ? known.state : undefined;
  }

  #close(facts: string, principal: string | undefined): Promise<string> {
    const sealed = { until: Date.now() + this.#maxAge, facts: JSON.parse(facts) as unknown };
    return this.#seal.seal(sealed, principal);
  }

  async #open(id: string, principal: string | undefined): Promise<ServerConnection | undefined> {
    const opened = await this.#seal.open(id, principal);
    if (!isObject(opened?.value)) return undefined;
    const { until, facts } = opened.value;
    if (typeof until !== "number") return undefined;
    const state = this.#server.openConnection({
      sharing: {
        maxFacts: MAX_FACTS,
        known: { facts: JSON.stringify(facts), isReady: true, watched: [] },
        // There is nothing that another process would look at.
        keep: () => Promise.resolve(),
      },
    });
    // The revision may not be served any more.
    if (state.revision === undefined) return undefined;
    this.#remember(id, { principal, until, state });
    return state;
  }

  #remember(id: string, session: Remembered): void {
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size >= MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(id, session);
  }
}

/** The response to a handshake. If it succeeds, it carries the id of the session. */
class SealedHandshake extends HttpResponse {
  readonly #session: () => string | undefined;

  constructor(request: HttpRequest, id: RequestId, statuses: Statuses, session: () => string | undefined) {
    super(request, id, request.mayStream, statuses);
    this.#session = session;
  }

  override respond(message: ResponseMessage): void {
    const session = this.#session();
    if (session !== undefined && "result" in message) this.request.addResponseFields(["Mcp-Session-Id", session]);
    super.respond(message);
  }
}

function noKeys(): UsageError {
  return new UsageError(
    "INVALID_ARGUMENT",
    "`legacy.sessions.sealed` takes a key that all processes know: give createServer the same `stateKey` everywhere, " +
      "such as 32 random bytes from a secret. A key that each process makes for itself would end all sessions with it.",
  );
}

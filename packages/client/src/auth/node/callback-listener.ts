import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AuthError } from "@toolwire/protocol";
import { zoneOfHost } from "../network/zones.ts";

/** Where to listen for the redirect of a login. */
export interface ListenerOptions {
  readonly host: "127.0.0.1" | "localhost" | "::1";
  readonly port: number;
  readonly path: string;
  /** The redirect URI of an earlier registration, whose port is tried first. */
  readonly preferred: string | undefined;
}

/** A listener for the redirect of one login. */
export interface CallbackListener {
  readonly redirectUri: string;
  /** Resolves to the parameters of the first redirect with this `state`. All other requests are refused and ignored. */
  wait(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  close(): Promise<void>;
}

/** The pages hold nothing of a request, so nothing of a stranger can be shown or run in them. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close",
};

const page = (title: string, text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p>`;

const DONE = page("Back to your program", "The login is being finished there. You can close this page.");
const UNKNOWN = page("Nothing to do here", "This page belongs to no login. If you were logging in, begin again.");

/** The largest header of a request: a code and a state are short. */
const MAX_HEADER_BYTES = 16 * 1024;

/** How long a browser may take to ask for the last page, which it does at once. */
const DONE_MS = 2000;

/** Listens on this machine only. */
export async function listenForCallback(options: ListenerOptions): Promise<CallbackListener> {
  const listener = new Listener(options.path);
  await listener.listen(options);
  return listener;
}

class Listener implements CallbackListener {
  redirectUri = "";
  readonly #path: string;
  readonly #server: Server;
  #state: string | undefined;
  #resolve: ((response: URLSearchParams) => void) | undefined;
  /** Whether a browser was sent to the last page, and has not asked for it yet; and what is done then. */
  #isDoneWanted = false;
  #doneShown: (() => void) | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 10_000 }, (request, response) =>
      this.#answer(request, response),
    );
  }

  async listen({ host, port, preferred }: ListenerOptions): Promise<void> {
    const earlier = preferred !== undefined && URL.canParse(preferred) ? new URL(preferred) : undefined;
    const earlierPort = earlier?.pathname === this.#path ? Number(earlier.port) : 0;
    // The name of this machine leads to either kind of address, and the one for IPv4 is always there.
    const address = host === "localhost" ? "127.0.0.1" : host;
    const isBound =
      port === 0 &&
      earlierPort > 0 &&
      (await this.#bind(address, earlierPort).then(
        () => true,
        () => false,
      ));
    if (!isBound) {
      await this.#bind(address, port).catch((error: unknown) => {
        const message = `No program can listen at ${address}:${port} for the end of the login: ${(error as Error).message}.`;
        throw new AuthError("LOGIN_FAILED", `${message} Choose another \`port\`.`);
      });
    }
    const { port: bound } = this.#server.address() as AddressInfo;
    const name = isBound ? earlier!.hostname : host === "::1" ? "[::1]" : host;
    this.redirectUri = `http://${name}:${bound}${this.#path}`;
  }

  wait(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    this.#state = state;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  }

  async close(): Promise<void> {
    if (!this.#isDoneWanted) return this.#stop();
    // The login may be over before the browser has asked for its last page. Nobody waits for that but the browser.
    const timer = setTimeout(() => void this.#stop(), DONE_MS);
    this.#doneShown = () => {
      clearTimeout(timer);
      void this.#stop();
    };
  }

  #stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeIdleConnections();
      // A page that is being sent is short; a connection that sends nothing is not waited for.
      setTimeout(() => this.#server.closeAllConnections(), 250).unref();
    });
  }

  #bind(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        // Nothing that a connection does may end the program.
        this.#server.on("error", () => undefined);
        resolve();
      });
    });
  }

  /** A stray page must not be able to end a login: whatever is not its redirect is refused, and the login goes on. */
  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = "", headers } = request;
    // A name that leads to this machine by the DNS of a stranger is not one of this machine.
    if (method !== "GET" || !isLoopback(headers.host)) return refuse(response, 403);
    // Taken apart by hand: `URL` would take the first part of `//host/path` for a host.
    const [path, query = ""] = url.split("?", 2);
    if (path === `${this.#path}/done`) {
      this.#isDoneWanted = false;
      response.writeHead(200, HEADERS).end(DONE);
      this.#doneShown?.();
      return;
    }
    if (path !== this.#path) return refuse(response, 404);
    const parameters = new URLSearchParams(query);
    const states = parameters.getAll("state");
    if (this.#state === undefined || states.length !== 1 || states[0] !== this.#state) return refuse(response, 400);
    // A redirect is taken once. The code leaves the address bar, and with it the history of the browser.
    this.#state = undefined;
    this.#isDoneWanted = true;
    response.writeHead(303, { ...HEADERS, location: `${this.#path}/done` }).end();
    this.#resolve?.(parameters);
  }
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, HEADERS).end(UNKNOWN);
}

function isLoopback(host: string | undefined): boolean {
  return (
    host !== undefined &&
    URL.canParse(`http://${host}`) &&
    zoneOfHost(new URL(`http://${host}`).hostname) === "loopback"
  );
}

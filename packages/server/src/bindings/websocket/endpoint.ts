/// <reference lib="esnext.disposable" preserve="true" />
import { UsageError } from "@toolwire/protocol";
import { attachWsSocket, Heartbeat, Turns, resolveLimit, resolveMilliseconds } from "@toolwire/protocol/internal";
import { CloseCode, createSocketChannel, SUBPROTOCOL } from "@toolwire/protocol/channels";
import type { IncomingMessage, Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { pathOf, readAdmissionOptions, readTarget } from "../admission/hosts.ts";
import { ADMISSION_TIMEOUT_MS, type AdmissionOptions } from "../admission/options.ts";
import { expectPath } from "../../define/check-options.ts";
import { callerKey, networkOf, defaultShare, CallerShares } from "../admission/callers.ts";
import type { Principal, ServerBinding } from "../../binding.ts";
import {
  shuttingDown,
  admissionTimedOut,
  tooMany,
  tooManyOfClient,
  authenticationFailed,
  pathNotFound,
  type Refusal,
} from "../admission/refusals.ts";
import { openChannel, type ServedChannel } from "../channel/serve-channel.ts";
import { headerOf } from "../http/node/node-adapter.ts";
import { admit, declineAhead, declineUpgrade, refuse, Refused } from "./admission.ts";
import type { WebSocketOptions } from "./serve-websocket.ts";
import { RequestLimits } from "./request-limits.ts";

/** All endpoints of an HTTP server. */
const endpoints = new WeakMap<HttpServer | HttpsServer, Set<WebSocketEndpoint>>();

/** One path of an HTTP server at which WebSockets are accepted, and the connections made there. */
export class WebSocketEndpoint {
  readonly #server: ServerBinding;
  readonly #admission: AdmissionOptions;
  readonly #path: string;
  readonly #http: HttpServer | HttpsServer;
  readonly #upgrader: WebSocketServer;
  readonly #heartbeat: Heartbeat;
  readonly #turns = new Turns(setImmediate);
  readonly #maxConnections: number;
  readonly #limits: RequestLimits;
  readonly #maxQueuedBytes: number;
  readonly #closeTimeout: number;
  readonly #connections = new Set<ServedChannel>();
  readonly #shares: CallerShares;
  readonly #onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Those whose requests for a connection are being looked at; they count as connections. */
  readonly #arriving = new Set<Duplex>();
  readonly #arrivingFrom: CallerShares;
  #closing: Promise<void> | undefined;

  constructor(server: ServerBinding, options: WebSocketOptions, http: HttpServer | HttpsServer) {
    this.#server = server;
    this.#admission = readAdmissionOptions(options);
    this.#path = expectPath("path", options.path ?? "/ws");
    const neighbours = endpoints.get(http) ?? joinServer(http);
    if ([...neighbours].some((other) => other.#path === this.#path)) throw pathTaken(this.#path);
    this.#limits = new RequestLimits(
      resolveLimit("maxInFlight", options.maxInFlight, 65_536),
      resolveLimit("maxInFlightPerClient", options.maxInFlightPerClient, 16_384),
    );
    this.#http = http;
    this.#maxConnections = resolveLimit("maxConnections", options.maxConnections, 10_000);
    const share = defaultShare(this.#maxConnections);
    this.#shares = new CallerShares(resolveLimit("maxConnectionsPerClient", options.maxConnectionsPerClient, share));
    this.#arrivingFrom = new CallerShares(share);
    this.#maxQueuedBytes = resolveLimit("maxQueuedBytes", options.maxQueuedBytes, 64 * 1024 * 1024);
    this.#closeTimeout = resolveMilliseconds("closeTimeout", options.closeTimeout, 5000);
    this.#heartbeat = new Heartbeat(resolveMilliseconds("keepAliveInterval", options.keepAliveInterval, 30_000, 1));
    this.#upgrader = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: resolveLimit("maxMessageBytes", options.maxMessageBytes, 4 * 1024 * 1024),
      // Compression costs far more time and memory than it gains, and has a history of memory exhaustion.
      perMessageDeflate: false,
      autoPong: false,
      handleProtocols: (offered) => offered.has(SUBPROTOCOL) && SUBPROTOCOL,
    });
    this.#onUpgrade = (request, socket, head) => this.#route(request, socket, head);
    http.on("upgrade", this.#onUpgrade);
    neighbours.add(this);
  }

  get url(): string {
    const { address, family, port } = this.#address();
    const scheme = "setSecureContext" in this.#http ? "wss" : "ws";
    return `${scheme}://${reachable(address, family)}:${port}${this.#path}`;
  }

  get port(): number {
    return this.#address().port;
  }

  get connections(): number {
    return this.#connections.size;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#http.off("upgrade", this.#onUpgrade);
    endpoints.get(this.#http)?.delete(this);
    for (const socket of this.#arriving) refuse(socket, shuttingDown());
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  /** Whether it falls to this endpoint to decline a request that wants to speak something else. */
  declines(request: IncomingMessage): boolean {
    const path = askedPath(request);
    return !wantsWebSocket(request) && (path === this.#path || this.#speaksForAll(path));
  }

  #route(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = askedPath(request);
    const isOwn = path === this.#path;
    if (!isOwn && !this.#speaksForAll(path)) return;
    if (!wantsWebSocket(request)) declineUpgrade(this.#http, request, socket, head);
    else if (isOwn) void this.#accept(request, socket, head);
    else {
      const paths = Array.from(endpoints.get(this.#http) ?? [], (endpoint) => endpoint.#path);
      refuse(socket, pathNotFound(paths.join(" or ")));
    }
  }

  /** Whether it falls to this endpoint to say that nobody is at a path: others may listen for upgrades here, too. */
  #speaksForAll(path: string): boolean {
    const [first, ...others] = endpoints.get(this.#http) ?? [];
    if (first !== this || others.some((other) => other.#path === path)) return false;
    return this.#http.listenerCount("upgrade") === others.length + 1;
  }

  async #accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // A socket that breaks while nobody else listens would end the process.
    socket.on("error", () => {});
    const { remoteAddress } = request.socket;
    const network = networkOf(remoteAddress);
    const hasRoom = this.#arrivingFrom.hasRoom(network);
    this.#arriving.add(socket);
    this.#arrivingFrom.take(network);
    try {
      if (this.#connections.size + this.#arriving.size > this.#maxConnections) {
        throw new Refused(tooMany("connections", 5));
      }
      if (!hasRoom) throw new Refused(tooManyOfClient("connections", 5));
      const principal = await beforeItIsOver(socket, admit(request, this.#admission));
      if (this.#closing !== undefined) throw new Refused(shuttingDown());
      const caller = callerKey(principal, remoteAddress);
      if (!this.#shares.hasRoom(caller)) throw new Refused(tooManyOfClient("connections", 5));
      this.#upgrader.handleUpgrade(request, socket, head, (ws) => this.#serve(ws, request, principal, caller));
    } catch (error) {
      refuse(socket, error instanceof Refused ? error.refusal : authenticationFailed(this.#server, error));
    } finally {
      this.#arriving.delete(socket);
      this.#arrivingFrom.release(network);
    }
  }

  #serve(ws: WebSocket, request: IncomingMessage, principal: Principal | undefined, caller: string | undefined): void {
    try {
      const connection = this.#open(ws, request, principal);
      this.#connections.add(connection);
      this.#shares.take(caller);
      void connection.closed.then(() => {
        this.#connections.delete(connection);
        this.#shares.release(caller);
      });
    } catch (error) {
      // Too late for an HTTP status: the connection exists.
      this.#server.diagnose({ level: "error", message: "A WebSocket connection could not be served.", error });
      ws.on("error", () => {});
      ws.close(CloseCode.InternalError, "something failed inside the server");
    }
  }

  #open(ws: WebSocket, request: IncomingMessage, principal: Principal | undefined): ServedChannel {
    const connection = { socket: ws, stream: request.socket, heartbeat: this.#heartbeat, turns: this.#turns };
    const channel = createSocketChannel((events) => attachWsSocket(connection, events), {
      side: "server",
      maxQueuedBytes: this.#maxQueuedBytes,
    });
    const limit = this.#limits.join(principal?.id);
    const served = openChannel(this.#server, channel, {
      binding: "websocket",
      principal,
      header: (name) => headerOf(request, name),
      maxInFlight: limit,
      closeTimeout: this.#closeTimeout,
    });
    void served.closed.then(() => limit.leave());
    return served;
  }

  #address(): AddressInfo {
    const address = this.#http.address();
    if (address !== null && typeof address === "object") return address;
    throw new UsageError(
      "INVALID_STATE",
      "The HTTP server is not listening on a port (yet), so there is no address to tell.",
    );
  }
}

/** Waits for a decision, for as long as there is somebody to decide about. */
function beforeItIsOver<T>(socket: Duplex, decision: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const turnAway = (refusal: Refusal): void => reject(new Refused(refusal));
    const leave = (): void => turnAway({ status: 408, message: "The client left before it was let in." });
    const timer = setTimeout(() => turnAway(admissionTimedOut()), ADMISSION_TIMEOUT_MS);
    // The socket is what keeps the process alive.
    timer.unref();
    socket.once("close", leave).once("end", leave);
    // Nobody reads from it yet, and who does not read hears of no end. What comes early is kept.
    socket.read(0);
    decision.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      socket.off("close", leave).off("end", leave);
    });
  });
}

/** Begins to keep the endpoints of an HTTP server. */
function joinServer(http: HttpServer | HttpsServer): Set<WebSocketEndpoint> {
  const joined = new Set<WebSocketEndpoint>();
  endpoints.set(http, joined);
  declineAhead(http, (request) => [...joined].some((endpoint) => endpoint.declines(request)));
  return joined;
}

function askedPath({ url = "/" }: IncomingMessage): string {
  return pathOf(readTarget(url).path);
}

function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

function pathTaken(path: string): UsageError {
  const message = `Another endpoint of this HTTP server is at ${path} already: give this one a \`path\` of its own.`;
  return new UsageError("INVALID_ARGUMENT", message);
}

/** An address that leads to a server listening on this one. */
function reachable(address: string, family: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  if (address === "::") return "[::1]";
  return family === "IPv6" ? `[${address}]` : address;
}

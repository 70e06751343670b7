/// <reference lib="esnext.disposable" preserve="true" />
import { UsageError } from "@toolwire/protocol";
import { CloseCode, createSocketChannel, SUBPROTOCOL } from "@toolwire/protocol/channels";
import {
  attachWsSocket,
  Heartbeat,
  EventLoopTurns,
  expectBytes,
  expectLimit,
  expectMilliseconds,
  expectPath,
} from "@toolwire/protocol/internal";
import type { IncomingMessage, Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import type { Principal, ServerBinding } from "../../binding.ts";
import type { DetachCluster } from "../../cluster/attached.ts";
import { expectCluster } from "../../cluster/options.ts";
import { openServer } from "../admission/open-server.ts";
import { callerKey, CallerShares, defaultShare, networkOf } from "../admission/callers.ts";
import type { Admission } from "../admission/auth.ts";
import { isCredential } from "../admission/caller-check.ts";
import { type AdmissionSettings, readAdmissionOptions } from "../admission/hosts.ts";
import { internalError, shuttingDown, tooMany, tooManyOfClient, type Refusal } from "../admission/refusals.ts";
import { openChannel, type ServedChannel } from "../channel/serve-channel.ts";
import { headerOf } from "../http/node/node-adapter.ts";
import { admit, refuseUpgrade, writeFields } from "./admission.ts";
import { RequestLimits } from "./request-limits.ts";
import type { WebSocketOptions } from "./serve-websocket.ts";
import { upgradesOf } from "./upgrades.ts";

/** One path of an HTTP server at which WebSockets are accepted, and the connections made there. */
export class WebSocketEndpoint {
  readonly #server: ServerBinding;
  /** The callers that may connect. */
  readonly admission: AdmissionSettings;
  readonly #path: string;
  readonly #http: HttpServer | HttpsServer;
  readonly #upgrader: WebSocketServer;
  readonly #heartbeat: Heartbeat;
  readonly #turns = new EventLoopTurns(setImmediate);
  readonly #maxConnections: number;
  readonly #limits: RequestLimits;
  readonly #maxQueuedBytes: number;
  readonly #closeTimeout: number;
  readonly #connections = new Set<ServedChannel>();
  readonly #shares: CallerShares;
  /** Sockets whose requests for a connection are being checked; they count as connections. */
  readonly #arriving = new Set<Duplex>();
  readonly #arrivingFrom: CallerShares;
  readonly #closeServer: DetachCluster;
  /** Fields for the responses that open connections. */
  readonly #headersOf = new WeakMap<IncomingMessage, readonly string[]>();
  #closing: Promise<void> | undefined;

  constructor(server: ServerBinding, options: WebSocketOptions, http: HttpServer | HttpsServer) {
    this.#server = server;
    this.admission = readAdmissionOptions(options);
    this.#path = expectPath("path", options.path ?? "/ws");
    this.#limits = new RequestLimits(
      expectLimit("maxInFlight", options.maxInFlight, 65_536),
      expectLimit("maxInFlightPerClient", options.maxInFlightPerClient, 16_384),
    );
    this.#http = http;
    this.#maxConnections = expectLimit("maxConnections", options.maxConnections, 10_000);
    const share = defaultShare(this.#maxConnections);
    this.#shares = new CallerShares(expectLimit("maxConnectionsPerClient", options.maxConnectionsPerClient, share));
    this.#arrivingFrom = new CallerShares(share);
    this.#maxQueuedBytes = expectBytes("maxQueuedBytes", options.maxQueuedBytes, 64 * 1024 * 1024);
    this.#closeTimeout = expectMilliseconds("closeTimeout", options.closeTimeout, 5000);
    this.#heartbeat = new Heartbeat(expectMilliseconds("keepAliveInterval", options.keepAliveInterval, 30_000, 1));
    this.#upgrader = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: expectBytes("maxMessageBytes", options.maxMessageBytes, 4 * 1024 * 1024),
      // Compression costs more time and memory than it gains, and has a history of memory exhaustion.
      perMessageDeflate: false,
      autoPong: false,
      handleProtocols: (offered) => offered.has(SUBPROTOCOL) && SUBPROTOCOL,
    });
    this.#upgrader.on("headers", (lines, request) => lines.push(...writeFields(this.#headersOf.get(request) ?? [])));
    const cluster = expectCluster("cluster", options.cluster);
    this.#closeServer = openServer(cluster, server, this.admission.callerCheck);
    upgradesOf(http).add(this.#path, (request, socket, head) => void this.#accept(request, socket, head));
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
    upgradesOf(this.#http).delete(this.#path);
    for (const socket of this.#arriving) this.#refuse(socket, shuttingDown());
    await Promise.all([...this.#connections].map((connection) => connection.close()));
    await this.#closeServer();
  }

  async #accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Without a listener, an error of the socket would end the process.
    socket.on("error", () => {});
    try {
      const admission = await this.#admit(request, socket);
      if ("refusal" in admission) this.#refuse(socket, admission.refusal);
      else {
        const { principal, headers } = admission;
        if (headers !== undefined) this.#headersOf.set(request, headers);
        this.#upgrader.handleUpgrade(request, socket, head, (ws) => this.#serve(ws, request, principal));
      }
    } catch (error) {
      this.#server.diagnose({ level: "error", message: "A WebSocket connection could not be opened.", error });
      this.#refuse(socket, internalError("The connection could not be opened for a reason inside the server."));
    }
  }

  #refuse(socket: Duplex, refusal: Refusal): void {
    this.#server.refused({ binding: "websocket", status: refusal.status });
    refuseUpgrade(socket, refusal);
  }

  async #admit(request: IncomingMessage, socket: Duplex): Promise<Admission> {
    const { remoteAddress } = request.socket;
    const network = networkOf(remoteAddress);
    const refusal = this.#checkRoom(network);
    if (refusal !== undefined) return { refusal };
    this.#arriving.add(socket);
    this.#arrivingFrom.take(network);
    const admission = await admit(request, socket, this.admission, this.#server);
    this.#arriving.delete(socket);
    this.#arrivingFrom.release(network);
    if ("refusal" in admission) return admission;
    if (this.#closing !== undefined) return { refusal: withFields(shuttingDown(), admission.headers) };
    const { principal, headers } = admission;
    if (this.#shares.hasRoom(callerKey(principal, remoteAddress))) return admission;
    return { refusal: withFields(tooManyOfClient("connections", 5), headers) };
  }

  #checkRoom(network: string | undefined): Refusal | undefined {
    if (this.#connections.size + this.#arriving.size >= this.#maxConnections) return tooMany("connections", 5);
    return this.#arrivingFrom.hasRoom(network) ? undefined : tooManyOfClient("connections", 5);
  }

  #serve(ws: WebSocket, request: IncomingMessage, principal: Principal | undefined): void {
    const caller = callerKey(principal, request.socket.remoteAddress);
    try {
      const connection = this.#open(ws, request, principal);
      this.#connections.add(connection);
      this.#shares.take(caller);
      void connection.closed.then(() => {
        this.#connections.delete(connection);
        this.#shares.release(caller);
      });
    } catch (error) {
      // The connection exists, so this cannot be an HTTP status any more.
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
    const hidesCredentials = this.admission.callerCheck?.hidesCredentials === true;
    const served = openChannel(this.#server, channel, {
      binding: "websocket",
      principal,
      header: (name) => (hidesCredentials && isCredential(name) ? undefined : headerOf(request, name)),
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

/** Adds the fields that an admission brought to a refusal after it. */
function withFields(refusal: Refusal, fields: readonly string[] = []): Refusal {
  return { ...refusal, headers: [...(refusal.headers ?? []), ...fields] };
}

/** The address to connect to for a server that listens on this one. */
function reachable(address: string, family: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  if (address === "::") return "[::1]";
  return family === "IPv6" ? `[${address}]` : address;
}

import { Roster } from "@toolwire/protocol/internal";
import { isThenable } from "../../request/thenable.ts";
import { ADMISSION_MS } from "../admission/options.ts";
import { isAllowedHost, isAllowedOrigin, mountOf, namesSeveral, pathOf } from "../admission/hosts.ts";
import { isPrincipal, networkOf, shareOf, Shares } from "../admission/callers.ts";
import type { ServerBinding } from "../../binding.ts";
import { within } from "../admission/with-timeout.ts";
import type { PostAnswer } from "./response.ts";
import { corsFields, HttpCall } from "./request.ts";
import type { KeepAlive } from "./events.ts";
import type { HttpFront } from "./adapter.ts";
import { LegacyEndpoint } from "../../legacy/http/endpoint.ts";
import { Load } from "./limits.ts";
import { resolveSettings, type HttpOptions, type HttpSettings } from "./options.ts";
import { acceptPost, readJson } from "./receive.ts";

/**
 * One server served over HTTP: takes requests from a front and decides, in this order, whether the caller may talk to
 * us at all, who it is, what it wants, and then hands the message on. Everything here is free of Node.
 */
export class HttpEndpoint {
  readonly serving: ServerBinding;
  readonly settings: HttpSettings;
  readonly keepAlive: KeepAlive;
  /** Answers that are not complete. */
  readonly inFlight: Roster<PostAnswer> = new Roster<PostAnswer>();
  /** What legacy clients need, once there was one. */
  legacy: LegacyEndpoint | undefined;
  /** The requests that are in the works. */
  readonly load: Load = new Load();
  /** The requests of which it is not known yet who sends them. */
  readonly #arriving = new Load();
  /** The same by network, since one caller may open any number of connections. */
  readonly #arrivingFrom: Shares;
  #closing: Promise<void> | undefined;
  #idle: (() => void) | undefined;

  /** `keepAliveEvery` makes what keeps quiet streams alive. */
  constructor(serving: ServerBinding, options: HttpOptions, keepAliveEvery: (intervalMs: number) => KeepAlive) {
    this.serving = serving;
    this.settings = resolveSettings(options);
    this.#arrivingFrom = new Shares(shareOf(this.settings.maxInFlight));
    this.keepAlive = keepAliveEvery(this.settings.keepAliveInterval);
  }

  /** Answers one HTTP request, now or later. */
  accept(front: HttpFront): void {
    const call = new HttpCall(front, this);
    if (!this.#checkSource(call)) return;
    const { authenticate } = this.settings;
    if (authenticate === undefined) this.#route(call);
    else void this.#identify(call, authenticate);
  }

  async #identify(call: HttpCall, authenticate: NonNullable<HttpOptions["authenticate"]>): Promise<void> {
    // Until it is known who calls, this is the connection.
    const { client } = call;
    if (!this.#arriving.hasRoom(call, 1)) return;
    const network = networkOf(call.front.address);
    if (!this.#arrivingFrom.hasRoom(network)) {
      call.turnAway((from) => from.busy(429));
      return;
    }
    try {
      const { method, target, raw } = call.front;
      const header = (name: string): string | undefined => call.header(name.toLowerCase());
      let caller: unknown = authenticate({ method, target, raw, header });
      // Others may listen to the body, too: who does not wait here misses nothing of it.
      if (isThenable(caller)) {
        this.#arriving.add(client, 1);
        this.#arrivingFrom.take(network);
        caller = await within(ADMISSION_MS, Promise.resolve(caller)).finally(() => {
          this.#arriving.add(client, -1);
          this.#arrivingFrom.release(network);
        });
      }
      if (isPrincipal(caller)) {
        call.principal = caller;
        this.#route(call);
      } else call.turnAway((from) => from.unidentified(caller));
    } catch (error) {
      call.turnAway((from) => from.unwelcome(this.serving, error));
    }
  }

  /**
   * Whether anything may still begin, or go on with what a call brings, once that is known. Refuses the call if not: who
   * it is and what it wants can take long to arrive.
   */
  isOpenFor(call: HttpCall, brought?: unknown): boolean {
    if (this.#closing === undefined || this.legacy?.isAwaiting(call, brought)) return true;
    return call.turnAway((from) => from.shuttingDown());
  }

  /** An answer is not complete yet. */
  hold(answer: PostAnswer): void {
    if (answer.place !== undefined) return;
    this.inFlight.add(answer);
    this.load.add(answer.call.client, answer.load);
  }

  /** An answer is complete. */
  release(answer: PostAnswer): void {
    if (!this.inFlight.delete(answer)) return;
    this.load.add(answer.call.client, -answer.load);
    if (this.inFlight.size === 0) this.#idle?.();
  }

  /** Stops taking requests, ends subscriptions and streams as the protocol says, and lets the rest finish in time. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    for (const { call } of this.inFlight.list()) this.serving.endSubscriptions(call.connection);
    this.legacy?.endStreams();
    const ssePair = this.legacy?.ssePair?.close();
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
      if (this.inFlight.size === 0) resolve();
    });
    await within(this.settings.closeTimeout, idle);
    for (const answer of this.inFlight.list()) answer.cancel("the server is shutting down", 503);
    await ssePair;
    await this.legacy?.close();
  }

  /** Where a request comes from and goes to: refuses what no rule of the protocol needs to look at. */
  #checkSource(call: HttpCall): boolean {
    const { allowedHosts, allowedOrigins, path } = this.settings;
    const host = call.header("host");
    if (namesSeveral(host)) return call.turnAway((from) => from.severalHosts());
    if (!isAllowedHost(host, allowedHosts)) return call.turnAway((from) => from.foreignHost(host));
    const origin = call.header("origin");
    if (origin !== undefined) {
      if (!isAllowedOrigin(origin, allowedOrigins, allowedHosts)) {
        return call.turnAway((from) => from.foreignOrigin(origin));
      }
      call.addFields(corsFields(origin));
    }
    if (path !== undefined && !isAt(path, call.front) && this.#ssePathOf(call) === undefined) {
      return call.turnAway((from) => from.wrongPath(inFull(path, call.front)));
    }
    if (call.front.method !== "OPTIONS" || origin === undefined) return this.isOpenFor(call);
    return call.turnAway((from) => from.answerPreflight(call));
  }

  #route(call: HttpCall): void {
    if (!this.isOpenFor(call)) return;
    const { front } = call;
    if (front.method === "GET" && front.isBehind) return void call.turnAway((from) => from.streamBehind());
    const ssePath = this.#ssePathOf(call);
    if (ssePath !== undefined) return this.withLegacy(({ ssePair }) => ssePair?.accept(call, ssePath));
    if (front.method === "POST") return readJson(call, (value) => acceptPost(call, value));
    this.withLegacy((legacy) => legacy.acceptBodiless(call));
  }

  /** The path of the older transport that a call asks for, as the options have it, if that transport is offered. */
  #ssePathOf({ front }: HttpCall): string | undefined {
    const { legacySse } = this.settings;
    if (legacySse === undefined) return undefined;
    const paths = Object.values(legacySse);
    return [pathOf(front.target), front.routedPath].find((asked) => paths.includes(asked));
  }

  /** Lets the legacy half take a request. */
  withLegacy(take: (legacy: LegacyEndpoint) => void): void {
    take((this.legacy ??= new LegacyEndpoint(this)));
  }
}

/** Whether a request is for a path of the options: as its client wrote it, or as a framework routes it. */
function isAt(path: string, front: HttpFront): boolean {
  return isSame(path, pathOf(front.target)) || isSame(path, front.routedPath);
}

/** Some clients put a slash behind whatever they are given, and follow no redirect. */
function isSame(path: string, asked: string): boolean {
  return asked === path || asked === `${path}/`;
}

/** A path of the options as clients have to write it: below what a framework has mounted the handler on. */
function inFull(path: string, { target, routedPath }: HttpFront): string {
  const mount = mountOf(pathOf(target), routedPath);
  return (`${path}/`.startsWith(`${mount}/`) ? path : mount + path) || "/";
}

import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { findPort } from "./free-port.ts";
import { resetSocket } from "./reset-socket.ts";

/** Both halves of a connection that passes through the proxy. */
interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** Whether something of it was swallowed: neither side can make sense of what would follow. */
  hasHole: boolean;
  /** What the client has sent first. */
  begin: string;
}

/** How much of that is kept. */
const MAX_BEGIN = 4096;

/** Waits for a request, to cut the connection before the reply to it. */
interface Awaited {
  readonly text: string;
  readonly cut: () => void;
  /** The connection on which the request was seen. */
  link?: Link;
}

/** A loopback port in front of a server, which can break the connections that pass through it. */
export class FaultProxy {
  readonly #target: () => number;
  readonly #links = new Set<Link>();
  #server: Server | undefined;
  #port = 0;
  /** How many connections were cut since cutting began; absent while nothing is to be cut. */
  #cuts: number | undefined;
  #latency = 0;
  #isHolding = false;
  #isSwallowing = false;
  readonly #awaited = new Set<Awaited>();

  /** `target` is the port of the server. */
  constructor(target: () => number) {
    this.#target = target;
  }

  get port(): number {
    return this.#port;
  }

  /** Takes connections, always on the same port. */
  async listen(): Promise<void> {
    this.#port ||= await findPort();
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#forward(client));
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** Refuses connections, as a server that is down does. Those that are open stay so. */
  refuse(): void {
    this.#server?.close();
  }

  /** Resets all connections on both sides. Returns their number. */
  reset(): number {
    const { size } = this.#links;
    for (const { client, server } of this.#links) {
      resetSocket(client);
      resetSocket(server);
    }
    return size;
  }

  /**
   * For a while, passes on half of whatever a server sends next on each connection, and ends the connection. Resolves to
   * the number of those that were ended.
   */
  async cut(ms: number): Promise<number> {
    this.#cuts = 0;
    await delay(ms);
    const count = this.#cuts;
    this.#cuts = undefined;
    return count;
  }

  /**
   * The server loses its connections at once, the client hears nothing of it for a while. Resolves to their number when it
   * has.
   */
  async stall(ms: number): Promise<number> {
    const stalled = [...this.#links];
    for (const link of stalled) {
      this.#links.delete(link);
      resetSocket(link.server);
      link.client.pause();
    }
    await delay(ms);
    for (const { client } of stalled) resetSocket(client);
    return stalled.length;
  }

  /** From now on, everything takes so many milliseconds longer, each way. */
  slowDown(ms: number): void {
    this.#latency = ms;
  }

  /** Keeps back whatever is sent, both ways, until {@link release}. Connections stay open. */
  hold(): void {
    this.#isHolding = true;
    for (const { client, server } of this.#links) {
      client.pause();
      server.pause();
    }
  }

  /** Passes on what was held. */
  release(): void {
    this.#isHolding = false;
    for (const { client, server } of this.#links) {
      client.resume();
      server.resume();
    }
  }

  /** Takes connections and whatever comes over them, and passes nothing on, until {@link passAgain}: a black hole. */
  swallow(): void {
    this.#isSwallowing = true;
  }

  /** Passes nothing on any more of open connections whose clients began with something that contains a text, in any case. Returns their number. */
  swallowThose(text: string): number {
    const found = [...this.#links].filter(({ begin }) => begin.toLowerCase().includes(text.toLowerCase()));
    for (const link of found) link.hasHole = true;
    return found.length;
  }

  /** Passes on what new connections send. Those of which something was swallowed stay silent. */
  passAgain(): void {
    this.#isSwallowing = false;
  }

  /**
   * Passes on the next request that contains a text, and resets its connection when the reply comes, which is dropped: the server
   * has done what it was asked to, and the client cannot know. Resolves once that has happened.
   */
  cutBeforeReply(text: string): Promise<void> {
    return new Promise((resolve) => {
      const awaited: Awaited = {
        text,
        cut: () => {
          this.#awaited.delete(awaited);
          resolve();
        },
      };
      this.#awaited.add(awaited);
    });
  }

  close(): void {
    this.refuse();
    this.reset();
  }

  #forward(client: Socket): void {
    const server = connect({ host: "127.0.0.1", port: this.#target(), allowHalfOpen: true, noDelay: true });
    const link: Link = { client, server, hasHole: false, begin: "" };
    this.#links.add(link);
    client.on("data", (chunk) => {
      if (link.begin.length < MAX_BEGIN) link.begin += chunk.toString("latin1");
      for (const awaited of this.#awaited) {
        if (awaited.link === undefined && chunk.includes(awaited.text)) awaited.link = link;
      }
      this.#pass(link, chunk, client, server);
    });
    server.on("data", (chunk) => {
      if (this.#cuts !== undefined) this.#cutOff(link, chunk);
      else if (!this.#cutAwaited(link)) this.#pass(link, chunk, server, client);
    });
    if (this.#isHolding) {
      client.pause();
      server.pause();
    }
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on("drain", () => !this.#isHolding && other.resume());
      socket.on("end", () => {
        this.#later(() => {
          if (this.#links.has(link)) other.end();
        });
      });
      // A reset is passed on by the `close` that follows.
      socket.on("error", () => undefined);
      socket.on("close", (hadError) => {
        if (!this.#links.delete(link)) return;
        if (hadError) resetSocket(other);
        else other.destroySoon();
      });
    }
  }

  #pass(link: Link, chunk: Buffer, from: Socket, to: Socket): void {
    link.hasHole ||= this.#isSwallowing;
    if (link.hasHole) return;
    this.#later(() => pass(chunk, from, to));
  }

  /** Timers of the same time fire in the order in which they were set. */
  #later(act: () => void): void {
    if (this.#latency === 0) act();
    else setTimeout(act, this.#latency);
  }

  /** Resets a connection on which a request was seen whose reply is not to arrive. */
  #cutAwaited(link: Link): boolean {
    const [awaited] = [...this.#awaited].filter((each) => each.link === link);
    if (awaited === undefined || !this.#links.delete(link)) return false;
    resetSocket(link.client);
    resetSocket(link.server);
    awaited.cut();
    return true;
  }

  #cutOff(link: Link, chunk: Buffer): void {
    if (!this.#links.delete(link)) return;
    this.#cuts! += 1;
    link.client.end(chunk.subarray(0, chunk.length >> 1), () => link.client.destroy());
    resetSocket(link.server);
  }
}

function pass(chunk: Buffer, from: Socket, to: Socket): void {
  if (!to.writable) return;
  if (!to.write(chunk)) from.pause();
}

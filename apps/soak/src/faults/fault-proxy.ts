import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { findPort } from "@toolwire/engines";
import { resetSocket } from "./reset-socket.ts";

/** Both halves of a connection that passes through the proxy. */
interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

/** A loopback port in front of a server, which can break the connections that pass through it. */
export class FaultProxy {
  readonly #target: () => number;
  readonly #links = new Set<Link>();
  #server: Server | undefined;
  #port = 0;
  /** How many connections were cut since cutting began; absent while nothing is to be cut. */
  #cuts: number | undefined;

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

  close(): void {
    this.refuse();
    this.reset();
  }

  #forward(client: Socket): void {
    const server = connect({ host: "127.0.0.1", port: this.#target(), allowHalfOpen: true, noDelay: true });
    const link: Link = { client, server };
    this.#links.add(link);
    client.on("data", (chunk) => pass(chunk, client, server));
    server.on("data", (chunk) => {
      if (this.#cuts !== undefined) this.#cutOff(link, chunk);
      else pass(chunk, server, client);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on("drain", () => other.resume());
      socket.on("end", () => this.#links.has(link) && other.end());
      // A reset is passed on by the `close` that follows.
      socket.on("error", () => undefined);
      socket.on("close", (hadError) => {
        if (!this.#links.delete(link)) return;
        if (hadError) resetSocket(other);
        else other.destroySoon();
      });
    }
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

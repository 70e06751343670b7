/**
 * MCP over Unix sockets, one JSON-RPC message per line.
 *
 * @packageDocumentation
 */
import { createConnection, createServer, type Server as Listener, type Socket } from "node:net";
import { TransportError, type Channel } from "@toolwire/protocol";
import { createLineChannel, type Side } from "@toolwire/protocol/channels";
import type { Server } from "@toolwire/server";
import { bindingOf } from "@toolwire/server/binding";
import { serveChannel, type ServedChannel } from "@toolwire/server/channel";

/** The limits of a connection. */
export interface UnixSocketOptions {
  /** The longest message accepted, in bytes. Default 4 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How much may wait for a peer that does not read; beyond it the connection ends. Default 256 MiB. */
  readonly maxQueuedBytes?: number | undefined;
}

/** A server that listens on a Unix socket, as returned by {@link serveUnixSocket}. */
export interface UnixSocketListener {
  /** Where clients connect to. */
  readonly path: string;
  /** Stops listening, waits for requests in flight, and ends all connections. */
  close(): Promise<void>;
}

/**
 * Makes the channel of one socket. A client may end its own direction and go on reading, so sockets of a server have to be
 * created with `allowHalfOpen`.
 */
export function createSocketChannel(socket: Socket, side: Side, options: UnixSocketOptions = {}): Channel {
  const schedule = (flush: () => void): void => process.nextTick(flush);
  return createLineChannel(socket, socket, { side, ...options, schedule, yield: setImmediate });
}

/** Makes a client's channel to the server at this path. It connects when the channel is opened. */
export function createUnixSocketChannel(path: string, options?: UnixSocketOptions): Channel {
  let channel: Channel | undefined;
  return {
    async open(receiver) {
      const socket = await connectTo(path);
      channel = createSocketChannel(socket, "client", options);
      await channel.open(receiver);
    },
    send(message) {
      if (channel === undefined) throw new TransportError("CLOSED", `The connection to ${path} is not open.`);
      return channel.send(message);
    },
    async close() {
      await channel?.close();
    },
  };
}

function connectTo(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const refuse = (cause: Error): void => {
      reject(new TransportError("CONNECT_FAILED", `Cannot connect to ${path}: ${cause.message}.`, { cause }));
    };
    socket.once("error", refuse);
    socket.once("connect", () => {
      socket.off("error", refuse);
      resolve(socket);
    });
  });
}

/** Serves a server at this path. The file must not exist yet; it is removed when the listener is closed. */
export async function serveUnixSocket(
  server: Server,
  path: string,
  options?: UnixSocketOptions,
): Promise<UnixSocketListener> {
  const served = new Set<ServedChannel>();
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = serveChannel(server, createSocketChannel(socket, "server", options), { binding: "unix-socket" });
    served.add(connection);
    void connection.closed.then(() => served.delete(connection));
  });
  await listen(listener, path);
  // What extensions do on their own, such as tasks, goes on while nobody is connected.
  const closeServer = bindingOf(server).open(undefined);
  return {
    path,
    async close() {
      const stopped = new Promise<void>((resolve) => void listener.close(() => resolve()));
      await Promise.all([...served].map((connection) => connection.close()));
      await Promise.all([stopped, closeServer()]);
    },
  };
}

function listen(listener: Listener, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once("error", (cause) => {
      reject(new TransportError("CONNECT_FAILED", `Cannot listen at ${path}: ${cause.message}.`, { cause }));
    });
    listener.listen(path, resolve);
  });
}

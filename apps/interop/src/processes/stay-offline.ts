// A preload for fetched programs (`node --import`). Connections to other machines fail at once with ENETUNREACH, as if there
// were no network, so that nothing waits for a timeout.

import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";

const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|::1|::ffff:127(?:\.\d+){3}|\[::1\])$/i;

interface ConnectTarget {
  readonly host?: string | null;
  readonly path?: string | null;
}

/** Reads the arguments of `socket.connect`: options, port and host, a path, or the array that `net.connect` passes. */
function readTarget(args: readonly unknown[]): ConnectTarget {
  const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
  if (typeof first === "object" && first !== null) return first;
  if (typeof first === "string" && Number.isNaN(Number(first))) return { path: first };
  return typeof second === "string" ? { host: second } : {};
}

function refuse(host: string): NodeJS.ErrnoException {
  const error = new Error(`connect ENETUNREACH ${host}: this program is kept from the network`);
  return Object.assign(error, { code: "ENETUNREACH", syscall: "connect", address: host });
}

// oxlint-disable-next-line typescript/unbound-method -- Called with the socket as `this`.
const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
Socket.prototype.connect = function connectToLoopback(this: Socket, ...args: unknown[]): Socket {
  const { host, path } = readTarget(args);
  if (typeof path === "string" || typeof host !== "string" || LOOPBACK.test(host)) return connect.apply(this, args);
  process.nextTick(() => this.destroy(refuse(host)));
  return this;
} as typeof connect;

const lookup = dns.lookup as (...args: unknown[]) => void;
const lookUpLoopback = (host: string, ...others: unknown[]): void => {
  if (LOOPBACK.test(host)) return lookup(host, ...others);
  const callback = others.at(-1) as (error: Error) => void;
  process.nextTick(callback, refuse(host));
};
const lookupAsync = dns.promises.lookup as (...args: unknown[]) => Promise<unknown>;
const lookUpLoopbackAsync = (host: string, ...others: unknown[]): Promise<unknown> =>
  LOOPBACK.test(host) ? lookupAsync(host, ...others) : Promise.reject(refuse(host));
Object.assign(dns, { lookup: lookUpLoopback });
Object.assign(dns.promises, { lookup: lookUpLoopbackAsync });
syncBuiltinESMExports();

/**
 * Connections to allowed addresses only. An address is checked in the URL, in the answer of every lookup, and once more when the
 * connection stands, before the first byte is sent. The addresses that were checked are those that are connected to: there is no
 * second lookup that could give others.
 */
import { lookup as lookUpBySystem } from "node:dns";
import { connect as connectSocket, type LookupFunction, type Socket } from "node:net";
import type { buildConnector } from "undici";
import { AddressPolicy, readLiteral } from "./address-policy.ts";
import { type OnHttpDiagnostic, tell, warnOfRefusals } from "./diagnostics.ts";
import { expectCallerOptions, type HttpCallerOptions, type HttpTlsOptions, type LookUpHost } from "./options.ts";

/** The host and port of a connection, as undici names them. */
export interface ConnectTarget {
  readonly hostname: string;
  readonly host?: string | undefined;
  readonly protocol: string;
  readonly port: string;
  readonly servername?: string | undefined;
}

/** Opens a connection: a function for the option `connect` of undici's agents and pools, and of our client. */
export type Connector = (target: ConnectTarget, callback: (error: Error | null, socket: Socket | null) => void) => void;

type BuiltConnector = ReturnType<typeof buildConnector>;

/** The error inside of this package for an address that is not allowed. Callers of tools see a constant text. */
export class AddressRefused extends Error {
  override readonly name: string = "AddressRefused";
  readonly code = "ADDRESS_REFUSED";
}

/** The error for a connection that takes too long. */
class ConnectTimeout extends Error {
  override readonly name: string = "ConnectTimeout";
  readonly code = "ETIMEDOUT";
}

/** Checks of addresses for connections that other libraries open. */
export interface NetworkGuard {
  /** For the option `connect` of undici and of our client over HTTP. */
  readonly connect: Connector;
  /** For the option `lookup` of `net.connect`, `tls.connect` and `ws`. It is not called for hosts that are addresses: see `check`. */
  readonly lookup: LookupFunction;
  /**
   * Checks the host, the port and the address in a URL.
   *
   * @throws an error if they are not allowed
   */
  check(url: string | URL): void;
}

/** Makes checks of addresses for connections that other libraries open, such as those to other MCP servers. */
export function createNetworkGuard(
  options: Pick<HttpCallerOptions, "network" | "connectTimeout" | "tls" | "lookup" | "onDiagnostic"> = {},
): NetworkGuard {
  const checked = expectCallerOptions(options);
  const policy = new AddressPolicy(checked.network);
  const onDiagnostic = checked.onDiagnostic ?? warnOfRefusals();
  return {
    connect: createConnector(policy, checked, onDiagnostic),
    lookup: guardLookup(policy, checked.lookup, onDiagnostic),
    check(url) {
      const { protocol, hostname, host } = new URL(url);
      const problem = policy.findProblem(`${protocol.replace(/^ws/, "http")}//${host}`);
      if (problem !== undefined) throw refuse(onDiagnostic, hostname, readLiteral(hostname), problem);
    },
  };
}

/** Makes a connector for undici. */
export function createConnector(
  policy: AddressPolicy,
  {
    connectTimeout,
    tls,
    lookup,
  }: { connectTimeout: number; tls?: HttpTlsOptions | undefined; lookup?: LookUpHost | undefined },
  onDiagnostic: OnHttpDiagnostic,
): Connector {
  const guarded = guardLookup(policy, lookup, onDiagnostic);
  const secure = createSecureConnector(tls, connectTimeout);
  return (target, callback) => {
    const { protocol, hostname } = target;
    const literal = readLiteral(hostname);
    if (literal !== undefined && !policy.allows(hostname, literal)) {
      callback(refuse(onDiagnostic, hostname, literal, policy.explain(hostname, literal)), null);
      return;
    }
    const port = Number(target.port === "" ? (protocol === "https:" ? 443 : 80) : target.port);
    const socket = connectSocket({ host: literal ?? hostname, port, lookup: guarded, noDelay: true, keepAlive: true });
    const timer = setTimeout(
      () => socket.destroy(new ConnectTimeout(`${hostname} did not accept a connection`)),
      connectTimeout,
    );
    const fail = (error: Error): void => {
      clearTimeout(timer);
      callback(error, null);
    };
    socket.once("error", fail).once("connect", () => {
      clearTimeout(timer);
      socket.off("error", fail);
      const { remoteAddress = "" } = socket;
      if (!policy.allows(hostname, remoteAddress)) {
        socket.destroy();
        callback(refuse(onDiagnostic, hostname, remoteAddress, policy.explain(hostname, remoteAddress)), null);
      } else if (protocol === "https:") secure(target, socket, callback);
      else callback(null, socket);
    });
  };
}

/** TLS over a connection that stands. undici's own connector remembers sessions, which saves a round trip. */
function createSecureConnector(
  tls: HttpTlsOptions | undefined,
  timeout: number,
): (target: ConnectTarget, socket: Socket, callback: Parameters<Connector>[1]) => void {
  let built: BuiltConnector | undefined;
  return (target, socket, callback) => {
    const start = (connect: BuiltConnector): void => {
      socket.off("error", dropped);
      connect({ ...withoutUndefined(target), httpSocket: socket }, callback as Parameters<BuiltConnector>[1]);
    };
    const dropped = (error: Error): void => callback(error, null);
    if (built !== undefined) return start(built);
    // An error of the socket must not end the process while the module is loaded.
    socket.on("error", dropped);
    import("undici").then(
      (undici) => {
        built ??= undici.buildConnector({ ...(tls as object), timeout });
        if (!socket.destroyed) start(built);
      },
      (error: unknown) => callback(error as Error, null),
    );
  };
}

function withoutUndefined({ hostname, host, protocol, port, servername }: ConnectTarget): {
  hostname: string;
  protocol: string;
  port: string;
} {
  return { hostname, protocol, port, ...(host !== undefined && { host }), ...(servername && { servername }) };
}

/** A lookup that leaves out addresses which are not allowed. */
function guardLookup(
  policy: AddressPolicy,
  lookUp: LookUpHost | undefined,
  onDiagnostic: OnHttpDiagnostic,
): LookupFunction {
  const find = lookUp ?? lookUpHost;
  return (hostname, { all, family }, callback) => {
    find(hostname).then(
      (found) => {
        const wanted = found.filter((each) => (family !== 4 && family !== 6 ? true : each.family === family));
        const allowed = wanted.filter(({ address }) => policy.allows(hostname, address)).map((each) => ({ ...each }));
        const [first] = allowed;
        if (first === undefined) {
          const refused = (wanted[0] ?? found[0])?.address;
          const problem = refused === undefined ? `${hostname} has no address.` : policy.explain(hostname, refused);
          callback(refuse(onDiagnostic, hostname, refused, problem), "", 0);
        } else if (all === true) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, "", 0),
    );
  };
}

const lookUpHost: LookUpHost = (host) =>
  new Promise((resolve, reject) => {
    lookUpBySystem(host, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });

function refuse(
  onDiagnostic: OnHttpDiagnostic,
  host: string,
  address: string | undefined,
  message: string,
): AddressRefused {
  tell(onDiagnostic, { type: "address-refused", host, address, message });
  return new AddressRefused("The address is not allowed.");
}

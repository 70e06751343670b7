import type { Transport } from "../clients/task.ts";
import type { SCRIPTS } from "../steps/script.ts";
import type { SurveyCall } from "../steps/survey-steps.ts";

/** A client, possibly a bridge, and a server, and what connects them. */
export interface Cell {
  readonly client: ClientPeer;
  readonly server: ServerPeer;
  /** The bridge between the two, if any. */
  readonly bridge?: BridgePeer;
  /** The transport of the client. */
  readonly transport: Transport;
}

/** A client, and how it is told to choose a revision. */
export interface ClientPeer extends Peer {
  /** A program in `clients/`. */
  readonly program: AppProgram;
  readonly mode?: string;
}

/** A server, and what clients do with it. */
export interface ServerPeer extends Peer {
  /** A program in `servers/`, or one of a package. */
  readonly program: AppProgram | PackageProgram;
  /** The script of the steps. Default: `standard`. */
  readonly script?: keyof typeof SCRIPTS;
  /** The calls of a survey. */
  readonly calls?: readonly SurveyCall[];
}

/** A program that forwards messages between two transports. */
export interface BridgePeer {
  /** The name in the tables. */
  readonly title: string;
  readonly program: PackageProgram;
  /** The transport between client and bridge. */
  readonly front: Transport;
  /** The transport between bridge and server. */
  readonly back: Transport;
  /** The script of the steps with our server. */
  readonly script: keyof typeof SCRIPTS;
  readonly limits?: readonly Limit[];
}

interface Peer {
  /** The name in the tables. */
  readonly title: string;
  /** Whether its messages are checked against the schemas, because it is built on the packages of this project. */
  readonly isOurs?: boolean;
  readonly transports: readonly Transport[];
  readonly limits?: readonly Limit[];
}

/** A program of this app. */
export interface AppProgram {
  /** Its name, without the folder. */
  readonly file: string;
  /** The package of the SDK, where the program serves several versions of it. */
  readonly sdk?: string;
  /** Whether it imports fetched packages. It then runs from a copy next to them, with the fetched Node. */
  readonly isFetched?: boolean;
}

/** A program that comes with a fetched package. */
export interface PackageProgram {
  readonly package: string;
  readonly args: (circumstances: Circumstances) => readonly string[];
  /** Environment variables. */
  readonly variables?: (circumstances: Circumstances) => { readonly [name: string]: string };
  /** The path of its URL, unless it speaks stdio. */
  readonly path?: (transport: Transport) => string;
}

/** Facts that the arguments of a package program may depend on. */
export interface Circumstances {
  readonly transport: Transport;
  /** A free port to listen on. */
  readonly port: number;
  /** An empty folder of its own. */
  readonly folder: string;
  /** For a bridge: the command line of the server, over stdio. */
  readonly command: readonly string[];
  /** For a bridge: the URL of the server, over other transports. */
  readonly url: string;
}

/** Something that a peer cannot do, and why. */
export interface Limit {
  readonly step: string;
  /** Absent: whatever the transport. */
  readonly transport?: Transport;
  readonly reason: string;
}

/** Pairs that share one half: a table in the results. */
export interface Matrix {
  readonly title: string;
  /** The title of the first column. */
  readonly head: string;
  /** The names of the steps. */
  readonly steps: readonly string[];
  /** How the pairs of a row differ. */
  readonly variants: Variants;
  /** The halves that vary, by row. */
  readonly rows: readonly { readonly title: string; readonly cells: readonly Cell[] }[];
}

/** How the pairs of a row differ. Each variant is a column of the summary. */
export interface Variants {
  readonly head: string;
  /** In the order of their columns. */
  readonly titles: readonly string[];
  readonly titleOf: (cell: Cell) => string;
}

const TRANSPORTS: { readonly [T in Transport]: string } = {
  stdio: "stdio",
  http: "HTTP",
  sse: "HTTP+SSE",
  websocket: "WebSocket",
};

/** For matrices whose pairs differ in the transport. */
export const BY_TRANSPORT: Variants = {
  head: "transport",
  titles: Object.values(TRANSPORTS),
  titleOf: ({ transport }) => TRANSPORTS[transport],
};

/** Makes one row per peer, with one pair per transport of the peer. */
export function rowPerPeer<P extends Peer>(
  peers: readonly P[],
  pair: (peer: P, transport: Transport) => Cell,
): Matrix["rows"] {
  return peers.map((peer) => ({
    title: peer.title,
    cells: peer.transports.map((transport) => pair(peer, transport)),
  }));
}

/** The limits of all parts of a pair that apply to its transport. */
export function limitsOf({ client, bridge, server, transport }: Cell): readonly Limit[] {
  return [client, bridge, server]
    .flatMap((peer) => peer?.limits ?? [])
    .filter((limit) => limit.transport === undefined || limit.transport === transport);
}

/** Describes a pair in one line. */
export function describeCell({ client, bridge, server, transport }: Cell): string {
  const mode = client.mode === undefined || client.title.includes(",") ? "" : ` (${client.mode})`;
  const way = bridge === undefined ? "" : ` -> ${bridge.title}`;
  return `${client.title}${mode}${way} -> ${server.title} over ${transport}`;
}

/** Whether a program belongs to this app, and not to a package. */
export function isOfApp(program: AppProgram | PackageProgram): program is AppProgram {
  return "file" in program;
}

import type { Transport } from "../clients/task.ts";
import type { SCRIPTS } from "../steps/script.ts";
import type { SurveyCall } from "../steps/survey-steps.ts";

/** A client, possibly a bridge, and a server, and what connects them. */
export interface Cell {
  readonly client: ClientPeer;
  readonly server: ServerPeer;
  /** What stands between the two, if anything. */
  readonly bridge?: BridgePeer;
  /** What the client speaks. */
  readonly transport: Transport;
}

/** A client, and how it is told to choose a revision. */
export interface ClientPeer extends Peer {
  /** In `clients/`. */
  readonly program: AppProgram;
  readonly mode?: string;
}

/** A server. */
export interface ServerPeer extends Peer {
  /** In `servers/`, or of a package. */
  readonly program: AppProgram | PackageProgram;
  /** What clients are to do with it. */
  readonly script?: keyof typeof SCRIPTS;
  /** The calls that work with it, where clients look at what there is. */
  readonly calls?: readonly SurveyCall[];
}

/** A program that passes on what it gets over one transport over another one. */
export interface BridgePeer {
  /** What it is called in the tables. */
  readonly title: string;
  readonly program: PackageProgram;
  /** What the client speaks with it. */
  readonly front: Transport;
  /** What it speaks with the server. */
  readonly back: Transport;
  /** What clients are to do with the server behind it. */
  readonly script: keyof typeof SCRIPTS;
  readonly limits?: readonly Limit[];
}

interface Peer {
  /** What it is called in the tables. */
  readonly title: string;
  /** Whether it is built on the packages of this project. */
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
  /** Whether it imports fetched packages: then it runs next to them, with the Node that was fetched for them. */
  readonly isFetched?: boolean;
}

/** A program that comes with a fetched package. */
export interface PackageProgram {
  readonly package: string;
  readonly args: (circumstances: Circumstances) => readonly string[];
  /** Environment variables. */
  readonly variables?: (circumstances: Circumstances) => { readonly [name: string]: string };
  /** The path of its URL, if it is reached by one. */
  readonly path?: (transport: Transport) => string;
}

/** What a program of a package may have to be told. */
export interface Circumstances {
  readonly transport: Transport;
  /** A free port to listen on, if it is to be reached by a URL. */
  readonly port: number;
  /** An empty folder of its own. */
  readonly folder: string;
  /** The server behind a bridge: its command line. */
  readonly command: readonly string[];
  /** The server behind a bridge: its URL. */
  readonly url: string;
}

/** Something that a peer cannot do, and why. */
export interface Limit {
  readonly step: string;
  /** Absent: whatever the transport. */
  readonly transport?: Transport;
  readonly reason: string;
}

/** Pairs that have one half in common: a table. */
export interface Matrix {
  readonly title: string;
  /** What the rows are. */
  readonly head: string;
  /** What the pairs go through. */
  readonly steps: readonly string[];
  /** What the pairs of a row differ in. */
  readonly variants: Variants;
  /** The halves that vary, by row. */
  readonly rows: readonly { readonly title: string; readonly cells: readonly Cell[] }[];
}

/** What the pairs of a row differ in: a column each. */
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

/** Pairs that differ in what they speak over. */
export const BY_TRANSPORT: Variants = {
  head: "transport",
  titles: Object.values(TRANSPORTS),
  titleOf: ({ transport }) => TRANSPORTS[transport],
};

/** Makes a row of each peer, and a pair of each transport that it has. */
export function rowPerPeer<P extends Peer>(
  peers: readonly P[],
  pair: (peer: P, transport: Transport) => Cell,
): Matrix["rows"] {
  return peers.map((peer) => ({
    title: peer.title,
    cells: peer.transports.map((transport) => pair(peer, transport)),
  }));
}

/** All that a pair cannot do, whichever side is the reason. */
export function limitsOf({ client, bridge, server, transport }: Cell): readonly Limit[] {
  return [client, bridge, server]
    .flatMap((peer) => peer?.limits ?? [])
    .filter((limit) => limit.transport === undefined || limit.transport === transport);
}

/** Names a pair. */
export function describeCell({ client, bridge, server, transport }: Cell): string {
  const mode = client.mode === undefined || client.title.includes(",") ? "" : ` (${client.mode})`;
  const way = bridge === undefined ? "" : ` -> ${bridge.title}`;
  return `${client.title}${mode}${way} -> ${server.title} over ${transport}`;
}

/** Whether a program is one of this app. */
export function isOfApp(program: AppProgram | PackageProgram): program is AppProgram {
  return "file" in program;
}

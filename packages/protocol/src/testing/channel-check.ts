import type { Channel } from "../index.ts";
import type { ChannelEnd, EndName } from "./channel-end.ts";
import type { Watch } from "./contract.ts";

/** The two ends of one connection. Neither is open yet: the contract suite opens them. */
export interface ChannelPair {
  readonly client: Channel;
  /** A promise, if this end exists only once the client's channel has been opened, as with a server that listens. */
  readonly server: Channel | Promise<Channel>;
}

/**
 * How the suite gets connections, and what they can do. Functions other than `connect` act below the channel, on the
 * socket, stream or port: leave out those that make no sense for yours, and their checks are left out.
 */
export interface ChannelContractOptions<Pair extends ChannelPair = ChannelPair> {
  /** Connects two fresh channels. Called once for each check. Put whatever the other functions need into the result. */
  readonly connect: () => Pair | Promise<Pair>;
  /** Releases what `connect` has made. By then, both channels have been closed. */
  readonly disconnect?: ((pair: Pair) => void | Promise<void>) | undefined;
  /** Sends a text from this end as one frame, such as a line, without checking what it is. */
  readonly sendText?: ((pair: Pair, from: EndName, text: string) => void | Promise<void>) | undefined;
  /** Ends what this end sends, and lets it go on reading: a half-closed connection. */
  readonly endOutput?: ((pair: Pair, end: EndName) => void | Promise<void>) | undefined;
  /** Makes this end stop reading for good, and lets it go on sending, so that its peer finds that it cannot write. */
  readonly endInput?: ((pair: Pair, end: EndName) => void | Promise<void>) | undefined;
  /** Breaks the connection without any farewell, as by a cable that is cut. */
  readonly breakConnection?: ((pair: Pair) => void | Promise<void>) | undefined;
  /** Whether `send` returns a promise if the peer reads more slowly than this end sends. Default true. */
  readonly backpressure?: boolean | undefined;
  /** How many bytes may wait for a peer that does not read, as `connect` has set it. A few megabytes make a quick check. */
  readonly maxQueuedBytes?: number | undefined;
  /** The largest message in bytes that both ends accept, as `connect` has set it, if there is a limit. At least 2 MB. */
  readonly maxMessageBytes?: number | undefined;
  /** Whether the channel passes objects on without writing them as JSON, as within one process. Default false. */
  readonly passesObjects?: boolean | undefined;
  /** How many milliseconds one check may take. Default 4000. */
  readonly timeout?: number | undefined;
}

/** A connection under test, as a check sees it. */
export interface OpenConnection<Pair> {
  readonly client: ChannelEnd;
  readonly server: ChannelEnd;
  readonly pair: Pair;
  readonly watch: Watch;
}

/** A check that has not been bound to a connection yet. */
export interface ChannelCheck<Pair> {
  readonly name: string;
  /** Whether receivers have the optional method `inputEnded`. Default false. */
  readonly hearsInputEnd?: boolean;
  run(connection: OpenConnection<Pair>): Promise<void>;
}

/**
 * Serving over any duplex pipe of messages: in one process, or over a transport of your own.
 *
 * @packageDocumentation
 */
export { serveChannel, type ServeChannelOptions, type ServedChannel } from "./serve-channel.ts";
// Two ends of a pipe within one process, so that a test has to install one package only.
export {
  createMemoryChannels,
  type Channel,
  type ChannelReceiver,
  type Message,
  type Outgoing,
} from "@toolwire/protocol";
// One limit for the requests of several connections.
export { CountedRequests, type RequestLimit } from "@toolwire/protocol/internal";

/** A process that keeps what nodes of another process share. Each message names the node that it is from or for. */
import { createMemoryEngine } from "../../../src/cluster/index.ts";
import { EngineEnd } from "../../../src/cluster/workers/engine-end.ts";

const engine = createMemoryEngine({ maxMessageBytes: 1_000_000 });
const ends = new Map<number, EngineEnd>();

process.on("message", (sent: { readonly node: number; readonly message: object }) => {
  const { node, message } = sent;
  if ("connect" in message) {
    const connected = engine.connect();
    process.send?.({ node, message: { connected: connected.node } });
    const send = (each: object, done: () => void): void => void process.send?.({ node, message: each }, done);
    ends.set(node, new EngineEnd(connected, send));
  } else {
    ends.get(node)?.receive(message);
  }
});

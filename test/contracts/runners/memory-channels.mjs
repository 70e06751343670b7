import { createMemoryChannels } from "@toolwire/protocol";

/** Set to make the client lose two messages, so that a runner has something to report. */
const isFaulty = process.env["DROP_MESSAGES"] !== undefined;

/** The contract that each runner is given. Only a faulty channel has checks wait until their time is over. */
export const options = { connect, passesObjects: true, timeout: isFaulty ? 300 : 20_000 };

function connect() {
  const [client, server] = createMemoryChannels();
  if (!isFaulty) return { client, server };
  let count = 0;
  /** @type {import("@toolwire/protocol").Channel} */
  const faulty = {
    open: (receiver) => client.open(receiver),
    send: (message) => (++count === 4 || count === 5 ? undefined : client.send(message)),
    close: () => client.close(),
  };
  return { client: faulty, server };
}

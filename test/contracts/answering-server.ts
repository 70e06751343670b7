import type { AnsweringPeer } from "@toolwire/protocol/testing";
import { createServer, type Serving } from "@toolwire/server";

/** A server whose requests and notifications are answered by a contract suite. Everything else is as in any other server. */
export function createAnsweringServer(peer: AnsweringPeer): Serving {
  const server = createServer({ name: "contract", version: "1.0.0" });
  return {
    revisions: server.revisions,
    serve: (request, reply) => peer.request(request, reply),
    hear: (message) => peer.notification(message),
    ready: () => server.ready(),
    openSession: (link) => server.openSession(link),
    endSubscriptions: (connection) => server.endSubscriptions(connection),
    diagnose: (event) => server.diagnose(event),
  };
}

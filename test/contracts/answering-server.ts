import type { AnsweringPeer } from "@toolwire/protocol/testing";
import { createServer, type Server } from "@toolwire/server";
import { bindingOf, SERVER_BINDING, type ServerBinding } from "@toolwire/server/binding";

/** A server whose requests and notifications are answered by a contract suite. Everything else is as in any other server. */
export function createAnsweringServer(peer: AnsweringPeer): Server {
  const server = createServer({ name: "contract", version: "1.0.0" });
  const binding = bindingOf(server);
  const answering: ServerBinding = {
    revisions: binding.revisions,
    serve: (request, reply) => peer.request(request, reply),
    hear: (message) => peer.notification(message),
    openConnection: (link) => binding.openConnection(link),
    open: () => () => Promise.resolve(),
    endSubscriptions: (connection) => binding.endSubscriptions(connection),
    diagnose: (event) => binding.diagnose(event),
    refused: (refusal) => binding.refused(refusal),
  };
  return Object.create(server, { [SERVER_BINDING]: { value: answering } }) as Server;
}

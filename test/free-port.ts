import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/** A port that was free a moment ago, for programs whose address has to be known before they listen. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

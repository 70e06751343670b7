// Serves the application in this folder, and prints where. Runs until its standard input ends.
import { once } from "node:events";
import { createServer } from "node:http";
import next from "next";

// The declarations of Next.js describe a default export that Node sees as the module itself.
const createApplication = /** @type {typeof next.default} */ (/** @type {unknown} */ (next));
const app = createApplication({ dev: true, dir: import.meta.dirname, hostname: "127.0.0.1", port: 0, quiet: true });
await app.prepare();
const handle = app.getRequestHandler();
const http = createServer((request, response) => void handle(request, response));
await once(http.listen(0, "127.0.0.1"), "listening");
const { port } = /** @type {import("node:net").AddressInfo} */ (http.address());
process.stdout.write(`http://127.0.0.1:${port}\n`);
process.stdin.on("end", () => process.exit(0)).resume();

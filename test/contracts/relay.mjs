// Stands in for a server that was started by its client: connects its standard streams to a socket of the test.
import { createConnection } from "node:net";

const socket = createConnection({ port: Number(process.argv[2]), host: "127.0.0.1", allowHalfOpen: true });
process.stdin.pipe(socket);
socket.pipe(process.stdout);
// A server that has nothing more to say ends. Standard output can only be closed in this way.
socket.on("end", () => process.stdout.write("", () => process.exit()));

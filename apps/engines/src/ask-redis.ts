import { once } from "node:events";
import { connect } from "node:net";

/**
 * Sends one command over a connection of its own, and returns the reply as it came. For what harnesses do themselves, such as forming a
 * cluster: it reads one line, or one text.
 */
export async function askRedis(port: number, command: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    const words = command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    socket.write(`*${command.length}\r\n${words.join("")}`);
    let reply = "";
    for await (const chunk of socket) {
      reply += String(chunk);
      const [, length = "0"] = /^\$(\d+)\r\n/.exec(reply) ?? [];
      if (reply.endsWith("\r\n") && reply.length > Number(length)) break;
    }
    if (reply.startsWith("-")) throw new Error(`Redis refused ${command[0]}: ${reply.slice(1).trim()}`);
    return reply;
  } finally {
    socket.destroy();
  }
}

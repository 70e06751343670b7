import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The server fixture, running. */
export interface FixtureProcess {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts the server fixture as the suite's users would, and waits until it listens. */
export async function startServer(): Promise<FixtureProcess> {
  const port = await findFreePort();
  const program = fileURLToPath(new URL("server.js", import.meta.url));
  const child = spawn(process.execPath, [program, "--port", String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    exited.then(() => [undefined]),
  ])) as [string | undefined];
  if (line === undefined) throw new Error("The server did not start; what it printed is above.");
  return {
    port,
    async stop() {
      child.kill();
      await exited;
    },
  };
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

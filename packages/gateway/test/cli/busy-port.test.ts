import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGateway } from "../../src/create-gateway.ts";
import { openMemoryStorage } from "../../src/storage/memory-storage.ts";
import { PROGRAM } from "./terminal.ts";

let folder: string;
let file: string;
let busy: Server;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "busy-port-"));
  file = join(folder, "gateway.yaml");
  await writeFile(file, "version: 1\nanalytics: { store: memory }\nservers: {}\n");
  busy = createServer();
  await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
  ({ port } = busy.address() as AddressInfo);
});

afterAll(async () => {
  busy.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs `serve` until it ends by itself. */
function serve(...options: string[]): Promise<{ code: number | null; output: string }> {
  const [program = "", ...argv] = [...PROGRAM, "serve", file, ...options];
  return new Promise((resolve) => {
    const child = execFile(program, argv, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, output: stdout + stderr });
    });
  });
}

describe("a port that is taken", () => {
  test("ends serve with one line that says what to do, and exit code 1", async () => {
    const { code, output } = await serve("--port", String(port), "--admin-port", "0");
    expect(output).toContain(
      `The gateway cannot listen on 127.0.0.1:${port}: another program uses this port. Use \`--port\` or \`listen.port\` for another one; 0 picks a free port.\n`,
    );
    expect(output).not.toMatch(/EADDRINUSE|\n\s+at /);
    expect(code).toBe(1);
  });

  test("is told apart from that of the admin listener", async () => {
    const { code, output } = await serve("--port", "0", "--admin-port", String(port));
    expect(output).toContain(
      `The admin listener cannot listen on 127.0.0.1:${port}: another program uses this port. Use \`--admin-port\` or \`admin.port\` for another one; 0 picks a free port.\n`,
    );
    expect(output).not.toMatch(/EADDRINUSE|\n\s+at /);
    expect(code).toBe(1);
  });

  test.each([
    ["192.0.2.1", "this machine has no such address"],
    ["no-such-name.invalid", "(?:there is no machine of this name|the name cannot be looked up)"],
  ])("is explained in the same way as the host %s", async (host, reason) => {
    const config = { version: 1 as const, admin: false as const, servers: {} };
    const starting = createGateway(config, { host, port: 0, storage: openMemoryStorage() });
    await expect(starting).rejects.toMatchObject({
      name: "TransportError",
      code: "CONNECT_FAILED",
      message: expect.stringMatching(`^The gateway cannot listen on ${host}:0: ${reason}\\. Use `),
    });
  });
});

// Runs the client fixture through a tap, and keeps what went over the wire in the directory WIRE_DIRECTORY. With
// NEGOTIATE set, the client is not told which revision to speak, and has to find out.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLeftOut } from "./exclusions.ts";

const { MCP_CONFORMANCE_SCENARIO: scenario = "", NEGOTIATE: negotiate, WIRE_DIRECTORY: directory = "" } = process.env;

// The suite starts everything at once: scenarios that do not count should not take time from those that do.
if (isLeftOut("client", scenario)) process.exit(1);
if (negotiate !== undefined) delete process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"];

const { saveRecording, tapPort } = await import("@toolwire/evidence");
const url = new URL(process.argv[2] ?? "");
// The client keeps the URL of the suite, and only its connections go to the tap: a URL is the name of a protected resource, and
// a correct client refuses metadata about any other.
const folder = mkdtempSync(join(tmpdir(), "tap-"));
const socketPath = process.platform === "win32" ? `\\\\.\\pipe\\tap-${process.pid}` : join(folder, "tap");
const tap = await tapPort({ host: url.hostname, port: Number(url.port) }, socketPath);
process.once("exit", () => {
  for (const [index, recording] of tap.recordings().entries()) {
    saveRecording(directory, `${process.pid}-${index + 1}`, recording);
  }
});

process.env["SOCKET_PATH"] = socketPath;
try {
  await import("./client.ts");
} finally {
  await tap.close();
  rmSync(folder, { recursive: true, force: true });
}

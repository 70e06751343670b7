// Runs the client fixture through a tap, and keeps what went over the wire in the directory WIRE_DIRECTORY. With
// NEGOTIATE set, the client is not told which revision to speak, and has to find out.

import { isLeftOut } from "./exclusions.ts";

const { MCP_CONFORMANCE_SCENARIO: scenario = "", NEGOTIATE: negotiate, WIRE_DIRECTORY: directory = "" } = process.env;

// The suite starts everything at once: scenarios that do not count should not take time from those that do.
if (isLeftOut("client", scenario)) process.exit(1);
if (negotiate !== undefined) delete process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"];

const { saveRecording, tapPort } = await import("@toolwire/evidence");
const url = new URL(process.argv[2] ?? "");
const tap = await tapPort({ host: url.hostname, port: Number(url.port) });
process.once("exit", () => {
  for (const [index, recording] of tap.recordings().entries()) {
    saveRecording(directory, `${process.pid}-${index + 1}`, recording);
  }
});

url.hostname = "127.0.0.1";
url.port = String(tap.port);
process.argv[2] = url.href;
try {
  await import("./client.ts");
} finally {
  await tap.close();
}

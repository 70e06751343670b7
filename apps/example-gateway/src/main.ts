/**
 * Starts two simulated APIs and a gateway in front of them and of the example server, all on this machine. Arguments are passed on to
 * `toolwire-gateway serve`, such as `--port 0`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPaymentsApi } from "./payments-api.ts";
import { startWeatherApi } from "./weather-api.ts";

/** The addresses that the gateway prints once it serves. */
interface Addresses {
  readonly listening: string;
  readonly admin: string;
}

const folder = join(import.meta.dirname, "..");
const paymentsKey = "sk_example_0123456789";
const givenToken = process.env["GATEWAY_ADMIN_TOKEN"] ?? "";
const adminToken = givenToken === "" ? randomBytes(16).toString("hex") : givenToken;
if (process.env["GATEWAY_ADMIN_TOKEN"] === "") {
  console.error("GATEWAY_ADMIN_TOKEN is empty, which counts as not set: a token was made for this run.");
}
const apis = [await startWeatherApi(), await startPaymentsApi(paymentsKey)];
const [weather, payments] = apis;

const program = fileURLToPath(new URL("main.js", import.meta.resolve("@toolwire/gateway")));
const gateway = spawn(process.execPath, [program, "serve", join(folder, "gateway.yaml"), ...process.argv.slice(2)], {
  env: {
    ...process.env,
    WEATHER_API: weather?.url,
    PAYMENTS_API: payments?.url,
    PAYMENTS_KEY: paymentsKey,
    GATEWAY_ADMIN_TOKEN: adminToken,
    GATEWAY_DATA: process.env["GATEWAY_DATA"] ?? "data",
  },
  // The gateway speaks for itself: on a terminal to people. It says on the channel that it serves.
  stdio: ["ignore", "inherit", "inherit", "ipc"],
});
passOnSignals(gateway);
gateway.once("message", (addresses) => console.log(describe(addresses as Addresses)));
await once(gateway, "exit");
await Promise.all(apis.map((api) => api.close()));

/** Lets the gateway end first, so that calls in flight still reach the APIs. */
function passOnSignals(child: ChildProcess): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  child.once("exit", (code) => (process.exitCode = code ?? 1));
}

function describe({ listening, admin }: Addresses): string {
  const call = { jsonrpc: "2.0", id: 4, method: "tools/call" };
  const params = { name: "get_weather", arguments: { city: "London" } };
  return `
The gateway serves
  ${listening}/mcp/my-weather-tools   a tool written by hand
  ${listening}/mcp/stripe-payments    tools of an OpenAPI document
  ${listening}/mcp/everything         the example server, over stdio
and shows what happens at
  ${admin}   (log in with ${adminToken})

Try it:
  curl ${listening}/mcp/my-weather-tools \\
    --header 'content-type: application/json' \\
    --data '${JSON.stringify({ ...call, params })}'

Nothing of this can be reached from other machines. Ctrl+C ends it.
`;
}

/** Serves the example on this machine, and says where. With `--watch`, views are built and shown again when their files change. */
import { startExample } from "./start-example.ts";

const { host } = await startExample({ watch: process.argv.includes("--watch") });
console.log(`The host is at ${host}`);

// Threads do not take over how this process reads TypeScript, so they register it themselves.
import { register } from "tsx/esm/api";

register();
await import("./worker.ts");

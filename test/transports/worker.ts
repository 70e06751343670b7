import { workerData, type MessagePort } from "node:worker_threads";
import { serveChannel } from "@toolwire/server/channel";
import { createPortChannel } from "../../packages/protocol/test/readme/port-channel.ts";
import { server } from "./server.ts";

/** A thread that serves over the port that it was given. */
serveChannel(server, createPortChannel(workerData as MessagePort, "server"), { binding: "port" });

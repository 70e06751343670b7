import { workerData, type MessagePort } from "node:worker_threads";
import { servePort } from "../src/message-port.ts";
import { server } from "./server.ts";

servePort(server, workerData as MessagePort);

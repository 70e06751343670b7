/** For reference: global `fetch`, with nothing of the protocol but the bytes. */
import { callParams, protocolHeaders } from "../workload/requests.ts";
import type { ClientContender } from "./client.ts";
import { readText } from "./raw.ts";

export const client: ClientContender = {
  name: "fetch",
  packages: [],
  offer: ({ transport }) => (transport === "http" ? {} : "HTTP only"),
  async connect(target) {
    if (target.transport !== "http") throw new Error("This one speaks HTTP only.");
    const { url, answers, bytes } = target;
    const params = callParams({ kind: "echo", bytes }, "modern");
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...protocolHeaders({ kind: "echo", bytes }, "modern"),
    };
    let id = 0;
    return async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method: "tools/call", params });
      const response = await fetch(url, { method: "POST", headers, body });
      return readText(await response.text(), answers);
    };
  },
};

import { request } from "node:http";
import { expectSame } from "./expect.ts";
import type { Steps } from "./outcomes.ts";

/** Checks the duties of a WebSocket server that clients do not show. */
export function webSocketSteps(url: string): Steps {
  return {
    async decline() {
      expectSame("the status for a request that would rather speak HTTP/2", await statusOfUpgrade(url), 426);
    },
  };
}

/** Posts something as Java's HTTP client does by default, which asks for HTTP/2 as it does so. */
function statusOfUpgrade(url: string): Promise<number | undefined> {
  const headers = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAEAAEAAAAIAAAAB" };
  return new Promise((resolve, reject) => {
    const asking = request(url.replace(/^ws/, "http"), { method: "POST", headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asking.on("error", reject).end("{}");
  });
}

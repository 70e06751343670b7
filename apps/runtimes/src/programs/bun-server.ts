// The server on Bun's own HTTP server.

import { readGuard } from "../fixture/guard.ts";
import { createWebHandler } from "./web-handler.ts";

declare const Bun: {
  serve(options: {
    readonly hostname: string;
    readonly port: number;
    readonly fetch: (request: Request) => Promise<Response>;
  }): { readonly url: URL };
};

const { url } = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: createWebHandler(readGuard(process.argv[2])) });
console.log(new URL("/mcp", url).href);

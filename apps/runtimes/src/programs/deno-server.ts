// The server on Deno's own HTTP server.

import { readGuard } from "../fixture/guard.ts";
import { createWebHandler } from "./web-handler.ts";

declare const Deno: {
  serve(
    options: { readonly hostname: string; readonly port: number; readonly onListen: (at: { port: number }) => void },
    handler: (request: Request) => Promise<Response>,
  ): unknown;
};

const onListen = ({ port }: { port: number }): void => console.log(`http://127.0.0.1:${port}/mcp`);
Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, createWebHandler(readGuard(process.argv[2])));

import { serveHttp } from "@toolwire/server/http";
import { views } from "@toolwire/server/views";
import { watchViews } from "@toolwire/server/views/node";
import { buildPages, hostPage, serveHost, serveSandbox } from "./pages.ts";
import { createExampleServer } from "./server.ts";

/** The example, while it is served. */
export interface RunningExample {
  /** The address of the host. */
  readonly host: string;
  /** The address of the sandbox page. */
  readonly sandbox: string;
  /** The address of the MCP server. */
  readonly mcp: string;
  close(): Promise<void>;
}

/** The options of {@link startExample}. */
export interface ExampleOptions {
  /** Whether views are built again when they change, and hosts told. */
  readonly watch?: boolean | undefined;
  /** Conditions by which packages are resolved, for programs in this repository that run without a build. */
  readonly conditions?: readonly string[] | undefined;
}

/** Builds the views and the host, and serves them together with the MCP server: each from an origin of its own. */
export async function startExample({ watch = false, conditions = [] }: ExampleOptions = {}): Promise<RunningExample> {
  const built = await buildPages({ watch, conditions });
  const apps = views();
  const server = createExampleServer(apps);
  const watched = watch ? watchViews(server, apps) : undefined;
  const served = await serveHttp(server, { port: 0 });
  let sandbox = "";
  const host = await serveHost(() => hostPage({ mcp: served.url, sandbox }));
  const sandboxPage = await serveSandbox(host.origin);
  sandbox = `${sandboxPage.origin}/`;
  return {
    host: `${host.origin}/`,
    sandbox,
    mcp: served.url,
    async close() {
      watched?.close();
      await Promise.all([built.close(), host.close(), sandboxPage.close(), served.close()]);
    },
  };
}

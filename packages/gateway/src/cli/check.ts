import { loadConfigFile } from "../config/load-config.ts";
import { describeProblem } from "../config/problem.ts";
import { createGateway } from "../create-gateway.ts";
import type { GatewayServer } from "../gateway.ts";
import { openMemoryStorage } from "../storage/memory-storage.ts";
import { dirname, resolve } from "node:path";
import type { Command } from "./command.ts";

/** `check`: everything that is wrong with a configuration, or the servers that it makes. */
export const check: Command = {
  name: "check",
  summary: "says what is wrong with a configuration file, or what it serves",
  help: `Usage: toolwire-gateway check FILE [--json]

Reads a configuration, fills in references to the environment and to files, reads OpenAPI documents, and prints every
problem with its line and column. Ends with 1 if there is an error. Otherwise lists the servers with their tools, and
how much of them a model has to read.

  --json   prints one JSON object`,
  options: { json: { type: "boolean" } },
  positionals: [1, 1],
  async run({ positionals, values }, console) {
    const [file = ""] = positionals;
    const { config, problems } = await loadConfigFile(file, console.env);
    if (config === undefined) {
      if (values["json"] === true) console.print(JSON.stringify({ ok: false, problems }));
      else for (const problem of problems) console.tell(describeProblem(problem));
      return 1;
    }
    const gateway = await createGateway(
      { ...config, listen: { host: "127.0.0.1", port: 0 }, admin: false },
      { folder: dirname(resolve(file)), env: console.env, storage: openMemoryStorage(), isChecked: true },
    );
    try {
      const servers = gateway.servers().map(describeServer);
      if (values["json"] === true) console.print(JSON.stringify({ ok: true, problems, servers }));
      else {
        for (const problem of problems) console.tell(describeProblem(problem));
        for (const server of servers) console.print(writeServer(server));
      }
      return 0;
    } finally {
      await gateway.close();
    }
  },
};

interface ServerSummary {
  readonly slug: string;
  readonly status: string;
  readonly tools: readonly { readonly name: string; readonly bytes: number; readonly tokens: number }[];
  readonly upstreams: readonly string[];
  readonly problems: readonly string[];
}

function describeServer({ slug, status, tools, upstreams, problems }: GatewayServer): ServerSummary {
  return {
    slug,
    status,
    tools: tools.map(({ listing, bytes, tokens }) => ({ name: listing.name, bytes, tokens })),
    upstreams: upstreams.map(({ name }) => name),
    problems: problems.filter((problem) => !/^The credential .* is not set\.$/.test(problem)),
  };
}

function writeServer({ slug, status, tools, upstreams, problems }: ServerSummary): string {
  const bytes = tools.reduce((sum, each) => sum + each.bytes, 0);
  const tokens = tools.reduce((sum, each) => sum + each.tokens, 0);
  const behind = upstreams.length === 0 ? "" : `, upstreams: ${upstreams.join(", ")}`;
  const head = `${slug} (${status}): ${tools.length} ${tools.length === 1 ? "tool" : "tools"}, ${bytes} bytes, about ${tokens} tokens${behind}`;
  const lines = tools.slice(0, 50).map((each) => `  ${each.name}  ${each.bytes} bytes, about ${each.tokens} tokens`);
  if (tools.length > 50) lines.push(`  and ${tools.length - 50} more`);
  return [head, ...lines, ...problems.map((problem) => `  ! ${problem}`)].join("\n");
}

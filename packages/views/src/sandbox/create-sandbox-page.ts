import { isContentSource } from "@toolwire/protocol/views";
import { createRateLimit } from "../messages/rate-limit.ts";
import { findExcess } from "../messages/find-excess.ts";
import { contentPolicy } from "../policy/content-policy.ts";
import { allowAttribute } from "../policy/permissions.ts";
import { runSandbox, type SandboxSettings } from "./run-sandbox.ts";

/** The options of {@link createSandboxPage}. */
export interface SandboxPageOptions {
  /** The origins of the hosts that may use it: `https://app.example.com`. None of them may be the origin of the page itself. */
  readonly hosts: readonly string[];
  /** How many messages a view may send per second, in the long run; four times as many at once. Default 100. */
  readonly messageRate?: number | undefined;
  /** How many characters a message of a view may have. Default 4 000 000. */
  readonly maxMessageSize?: number | undefined;
}

/** A page, to be served as it is. */
export interface SandboxPage {
  readonly html: string;
  /** Header fields to serve it with. */
  readonly headers: { readonly [name: string]: string };
}

/**
 * Makes the page in which a host shows views. Serve it from an origin of its own: another host name, or on your machine another port.
 *
 * @example
 * ```ts
 * const { html, headers } = createSandboxPage({ hosts: ["https://app.example.com"] });
 * createServer((request, response) => response.writeHead(200, headers).end(html)).listen(8081);
 * ```
 */
export function createSandboxPage(options: SandboxPageOptions): SandboxPage {
  const { hosts, messageRate = 100, maxMessageSize = 4_000_000 } = options;
  for (const host of hosts) checkOrigin(host);
  if (hosts.length === 0) throw new TypeError("`hosts` of a sandbox page is empty: name the origin of your host.");
  const settings: SandboxSettings = { hosts, messageRate, messageBurst: messageRate * 4, maxMessageSize };
  const parts = { contentPolicy, isContentSource, allowAttribute, createRateLimit, findExcess };
  const texts = Object.entries(parts).map(([name, part]) => `${name}: ${part.toString()}`);
  // Neither these texts nor origins contain "</script".
  // Compilers may name functions by a call of `__name`, which the text of a function does not bring along.
  const script = `{
const __name = (named) => named;
(${runSandbox.toString()})(${JSON.stringify(settings)}, { ${texts.join(",\n")} });
}`;
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>View</title>
<style>html, body { margin: 0; height: 100%; overflow: hidden } iframe { display: block; width: 100%; height: 100%; border: 0 }</style>
</head>
<body>
<script>${script}</script>
</body>
</html>
`,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `frame-ancestors ${hosts.join(" ")}`,
      "origin-agent-cluster": "?1",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  };
}

function checkOrigin(host: string): void {
  const origin = URL.canParse(host) ? new URL(host).origin : "null";
  if (origin === host && origin !== "null") return;
  throw new TypeError(
    `${JSON.stringify(host)} cannot be a host of a sandbox page: name an origin, as in "https://app.example.com".`,
  );
}

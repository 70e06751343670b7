import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { checkAccess } from "./access.ts";
import { checkNetwork } from "./addresses.ts";
import { checkGroups } from "./groups.ts";
import { checkCredential, checkCredentialName } from "./credential.ts";
import { checkServerAuth } from "./server-auth.ts";
import { checkTool } from "./tool.ts";
import { checkUpstreamAuth } from "./upstream-auth.ts";
import { type Checks, HTTP } from "./checks.ts";
import type { OpenApiConfig, ServerConfig, UpstreamConfig } from "../config.ts";
import { explainUnforwardable } from "../forwarded-headers.ts";
import type { ConfigPath } from "../problem.ts";

/** Checks one server: everything about it that can be known before its documents are read and its upstreams connected. */
export function checkServer(server: ServerConfig, path: ConfigPath, gatewayChecks: Checks): void {
  const { tools = {}, openapi, upstreams = {}, credentials = {}, limits, overrides = {}, network } = server;
  const checks = gatewayChecks.within(network, String(path.at(-1)));
  checkNetwork(network, [...path, "network"], checks);
  checks.duration(limits?.timeout, [...path, "limits", "timeout"]);
  checkCard(server, path, checks);
  checkServerAuth(server, path, checks);
  checkAccess(server, path, checks);
  checkGroups(server, path, checks);
  for (const [name, credential] of Object.entries(credentials)) {
    checkCredential(credential, [...path, "credentials", name], checks);
  }
  for (const [name, tool] of Object.entries(tools)) checkTool(tool, credentials, [...path, "tools", name], checks);
  if (openapi !== undefined) checkDocument(openapi, credentials, [...path, "openapi"], checks);
  for (const [name, upstream] of Object.entries(upstreams)) {
    const place = [...path, "upstreams", name];
    checkUpstream(upstream, place, checks);
    checkUpstreamAuth(upstream, server, place, checks);
  }
  for (const [name, override] of Object.entries(overrides)) {
    checks.duration(override.limits?.timeout, [...path, "overrides", name, "limits", "timeout"]);
  }
  for (const [index, header] of (server.forwardHeaders ?? []).entries()) {
    checkForwarded(header, [...path, "forwardHeaders", index], checks);
  }
}

/** The most characters of a title in a card. */
const MAX_TITLE = 100;

/** Checks what a card is made of, if the server may have one. */
function checkCard({ card, title }: ServerConfig, path: ConfigPath, checks: Checks): void {
  if (checks.gateway.serverCards === undefined) {
    if (card !== undefined && card !== false) {
      const example = "as in `serverCards: { namespace: com.example }`";
      checks.warn(
        [...path, "card"],
        `It has no effect: the gateway publishes cards only with \`serverCards\`, ${example}.`,
      );
    }
  } else if (card !== false && title !== undefined && [...title].length > MAX_TITLE) {
    checks.error(
      [...path, "title"],
      `A server with a card has a title of at most ${MAX_TITLE} characters. Shorten it, or write \`card: false\`.`,
    );
  }
}

function checkDocument(openapi: OpenApiConfig, credentials: object, path: ConfigPath, checks: Checks): void {
  const { document, baseUrl, hosts = [], credential } = openapi;
  if (typeof document === "string") checkDocumentPlace(document, [...path, "document"], checks);
  if (baseUrl !== undefined) checks.url(baseUrl, HTTP, [...path, "baseUrl"]);
  for (const [index, host] of hosts.entries()) checks.host(host, [...path, "hosts", index]);
  checkCredentialName(credential, credentials, [...path, "credential"], checks);
}

function checkDocumentPlace(document: string, path: ConfigPath, checks: Checks): void {
  const filled = checks.filled(document, path);
  if (filled === undefined) return;
  if (/^https?:/i.test(filled)) checks.url(document, HTTP, path);
  else if (!existsSync(resolve(checks.sources.folder, filled))) {
    checks.error(path, "There is no such file. Paths are relative to the configuration file.");
  }
}

function checkUpstream(upstream: UpstreamConfig, path: ConfigPath, checks: Checks): void {
  const { command, url, env = {}, headers = {}, timeout, idleTimeout } = upstream;
  if ((command === undefined) === (url === undefined)) {
    checks.error(path, "An upstream has either `command`, for a program, or `url`.");
  }
  if (url !== undefined) checks.url(url, [...HTTP, "ws:", "wss:"], [...path, "url"]);
  for (const [name, value] of Object.entries(env)) checks.referring(value, [...path, "env", name]);
  for (const [name, value] of Object.entries(headers)) checks.referring(value, [...path, "headers", name]);
  checks.duration(timeout, [...path, "timeout"]);
  checks.duration(idleTimeout, [...path, "idleTimeout"]);
}

function checkForwarded(header: string, path: ConfigPath, checks: Checks): void {
  const problem = explainUnforwardable(header);
  if (problem !== undefined) checks.error(path, problem);
}

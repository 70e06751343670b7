import type { HostEntry } from "../../hosts/host-entry.ts";
import { toUpstream } from "../../hosts/to-upstream.ts";
import { CommandFailure } from "../command.ts";
import { plain } from "../table.ts";
import type { GatewayFile } from "./gateway-file.ts";

/** Where servers of applications go in a configuration. */
export interface AddOptions {
  /** One server for all of them. Default: a server for each. */
  readonly slug?: string | undefined;
  /** Whether upstreams of the same name are replaced. */
  readonly replaces: boolean;
}

/** Adds servers of applications as upstreams. Returns what was done and what is left to do, one sentence each. No values. */
export function addEntries(file: GatewayFile, entries: readonly HostEntry[], options: AddOptions): readonly string[] {
  const said: string[] = [];
  const variables = new Set<string>();
  const before = new Set(file.slugs);
  const made = new Set<string>();
  for (const entry of entries) {
    const slug = options.slug ?? findFree(slugOf(entry.name), made);
    const name = upstreamName(entry.name);
    const isTaken = options.slug === undefined ? before.has(slug) : file.hasUpstream(slug, name);
    if (isTaken && !options.replaces) {
      const what = options.slug === undefined ? `a server ${slug}` : `an upstream ${name} of the server ${slug}`;
      throw new CommandFailure(`${file.file} was not changed: there is ${what} already. Use --server, or --force.`);
    }
    made.add(slug);
    const { upstream, variables: own, privateHost, notes } = toUpstream(entry);
    // Several upstreams of one server may have tools of the same names.
    const prefix = options.slug === undefined ? {} : { prefix: name.replaceAll(/[^A-Za-z0-9_]/g, "_") };
    file.putUpstream(slug, name, { ...upstream, ...prefix }, privateHost === undefined ? [] : [privateHost]);
    said.push(`${plain(entry.name)} is at /mcp/${slug}.`, ...notes.map(plain));
    if (privateHost !== undefined) {
      said.push(`${plain(entry.name)}: network.allow names ${privateHost}, which is private.`);
    }
    for (const variable of own) variables.add(variable);
  }
  for (const variable of variables) {
    said.push(`Set the variable ${variable} before the gateway starts. Its value is not in the configuration.`);
  }
  return said;
}

/** Two names can make the same slug. */
function findFree(slug: string, taken: ReadonlySet<string>): string {
  let free = slug;
  for (let number = 2; taken.has(free); number++) free = `${slug.slice(0, 60)}-${number}`;
  return free;
}

/** A slug made of a name: `My Server (v3)` is `my-server-v3`. */
export function slugOf(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ["server"];
  return words.join("-").slice(0, 64).replace(/-$/, "");
}

/** Names of upstreams are shown and are parts of URLs. */
function upstreamName(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : slugOf(name);
}

import type { ServerView } from "../../../src/admin/views.ts";
import type { change as changeFunction } from "../api/client.ts";

/** A part of a server that is defined by hand. */
export type DefinedPart = "tools" | "upstreams";

/** The server that gets a definition: one that is there, or a new one. */
export type Target =
  | { readonly kind: "existing"; readonly server: Pick<ServerView, "slug" | "revision"> }
  | { readonly kind: "new"; readonly slug: string; readonly title: string };

/** A definition to be written. */
export interface Definition {
  readonly part: DefinedPart;
  readonly name: string;
  readonly config: object;
  /** A value that the configuration refers to. It is sealed, and nobody can read it again. */
  readonly secret?: { readonly name: string; readonly value: string } | undefined;
}

/** The slug of the server that gets a definition. */
export function slugOf(target: Target): string {
  return target.kind === "new" ? target.slug : target.server.slug;
}

/** Writes a definition through the admin API: the server first, so that no secret is left behind if it is refused. */
export async function saveDefinition(
  target: Target,
  { part, name, config, secret }: Definition,
  change: typeof changeFunction,
): Promise<void> {
  if (target.kind === "new") {
    const { slug, title } = target;
    const server = { ...(title.trim() === "" ? {} : { title: title.trim() }), [part]: { [name]: config } };
    await change("PUT", `servers/${encodeURIComponent(slug)}`, server);
  } else {
    const { slug, revision } = target.server;
    const path = `servers/${encodeURIComponent(slug)}/${part}/${encodeURIComponent(name)}`;
    await change("PUT", path, config, { revision });
  }
  if (secret === undefined) return;
  await change("PUT", `secrets/${encodeURIComponent(secret.name)}`, { value: secret.value });
}

/** The reason for which a new definition cannot be written; `undefined` if there is none. */
export function findConflict(
  target: Target,
  part: DefinedPart,
  name: string,
  known: { readonly slugs: readonly string[]; readonly names: readonly string[] },
): string | undefined {
  if (target.kind === "new" && known.slugs.includes(target.slug)) {
    return `There is a server ${target.slug} already. Choose another slug, or add to that server.`;
  }
  if (target.kind === "existing" && known.names.includes(name)) {
    const kind = part === "tools" ? "a tool" : "an upstream";
    return `${target.server.slug} has ${kind} ${name} already. Choose another name, or edit that one.`;
  }
  return undefined;
}

/** A name that two rows have; `undefined` if there is none. Only one of them would be kept. */
export function findTwice(rows: readonly { readonly name: string }[]): string | undefined {
  const names = rows.map(({ name }) => name.trim()).filter((name) => name !== "");
  return names.find((name, index) => names.indexOf(name) !== index);
}

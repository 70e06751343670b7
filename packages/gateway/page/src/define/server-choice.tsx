import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ServerSummary, ServerView } from "../../../src/admin/views.ts";
import { usePoll } from "../api/poll.ts";
import { Field } from "../controls/field.tsx";
import { TextField } from "../controls/text-field.tsx";
import type { Target } from "./save-definition.ts";

/** The server that gets a definition, as it is chosen. */
export interface ServerChoice {
  /** The chosen server, or an empty text for a new one. */
  readonly slug: string;
  readonly newSlug: string;
  readonly newTitle: string;
  readonly servers: readonly ServerSummary[];
  /** The chosen server with everything that is known of it. */
  readonly server: ServerView | undefined;
  /** `undefined` while the chosen server is being read. */
  readonly target: Target | undefined;
  readonly set: (change: { readonly slug?: string; readonly newSlug?: string; readonly newTitle?: string }) => void;
}

/** Chooses the server that gets a definition. */
export function useServerChoice(initial: string): ServerChoice {
  const [choice, setChoice] = useState({ slug: initial, newSlug: "", newTitle: "" });
  const servers = usePoll<{ readonly servers: readonly ServerSummary[] }>("servers", 30_000).data?.servers ?? [];
  const { slug, newSlug, newTitle } = choice;
  const read = usePoll<ServerView>(slug === "" ? undefined : `servers/${encodeURIComponent(slug)}`, 30_000).data;
  const server = read?.slug === slug ? read : undefined;
  let target: Target | undefined;
  if (slug === "") target = { kind: "new", slug: newSlug, title: newTitle };
  else if (server !== undefined) target = { kind: "existing", server };
  return {
    ...choice,
    servers,
    server,
    target,
    set: (change) => setChoice((before) => ({ ...before, ...change })),
  };
}

/** The fields of the choice. Servers of the configuration file are changed there. */
export function ServerFields({ choice }: { readonly choice: ServerChoice }): JSX.Element {
  const { slug, newSlug, newTitle, servers, set } = choice;
  const changeable = servers.filter(({ isFromFile }) => !isFromFile);
  return (
    <>
      <Field
        label="Server"
        hint={changeable.length < servers.length ? "Servers of the configuration file are changed there." : undefined}
      >
        {(attributes) => (
          <select {...attributes} value={slug} onChange={({ currentTarget }) => set({ slug: currentTarget.value })}>
            <option value="">A new server</option>
            {changeable.map((server) => (
              <option key={server.slug} value={server.slug}>
                {server.title ?? server.slug}
              </option>
            ))}
          </select>
        )}
      </Field>
      {slug === "" ? (
        <div class="two-fields">
          <SlugField slug={newSlug} onSlug={(next) => set({ newSlug: next })} />
          <TextField
            label="Title"
            hint="The name that people read."
            value={newTitle}
            onValue={(text) => set({ newTitle: text })}
            input={{ maxLength: 256 }}
          />
        </div>
      ) : null}
    </>
  );
}

/** The slug of a new server. */
export function SlugField(props: { readonly slug: string; readonly onSlug: (slug: string) => void }): JSX.Element {
  return (
    <TextField
      label="Slug"
      isRequired
      hint="The server will be at /mcp/{slug}. Lower-case letters, digits and hyphens."
      value={props.slug}
      onValue={props.onSlug}
      input={{ pattern: "[a-z0-9]([a-z0-9\\-]{0,62}[a-z0-9])?" }}
    />
  );
}

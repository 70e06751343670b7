import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ImportView, ServerView } from "../../../src/admin/views.ts";
import { change, messageOf } from "../api/client.ts";
import { announce } from "../controls/announce.tsx";
import { Field } from "../controls/field.tsx";
import { FileField } from "../controls/file-field.tsx";
import { Notice, Panel, ViewHead } from "../controls/panel.tsx";
import { Segments } from "../controls/segments.tsx";
import { SlugField } from "../define/server-choice.tsx";
import { navigate } from "../location/location.ts";
import { pathTo } from "../location/query.ts";
import { AddCrumbs } from "./add-crumbs.tsx";
import { ImportChoice, type Choice } from "./import-choice.tsx";

/** Makes a server of an OpenAPI document: read it, choose operations, create it. */
export function ImportPage(): JSX.Element {
  const [slug, setSlug] = useState("");
  const [found, setFound] = useState<ImportView | undefined>();
  return (
    <>
      <AddCrumbs />
      <ViewHead title="Import an API" note="An OpenAPI 3 or Swagger 2 document becomes a server with tools" />
      <ol class="steps" aria-label="Steps">
        <li aria-current={found === undefined ? "step" : undefined} class={found === undefined ? "" : "step-done"}>
          Read a document
        </li>
        <li aria-current={found === undefined ? undefined : "step"}>Choose operations</li>
        <li>Use the server</li>
      </ol>
      {found === undefined ? (
        <ReadStep slug={slug} onSlug={setSlug} onFound={setFound} />
      ) : (
        <ImportChoice
          found={found}
          slug={slug}
          onBack={() => setFound(undefined)}
          onCommit={(choice) => commit(slug, found.id, choice)}
        />
      )}
    </>
  );
}

async function commit(slug: string, id: string, choice: Choice): Promise<void> {
  const path = `servers/${encodeURIComponent(slug)}/import/${encodeURIComponent(id)}/commit`;
  const server = await change<ServerView>("POST", path, choice);
  announce(`${server.slug} is made, with ${server.toolCount} tools.`);
  navigate(pathTo("servers", server.slug));
}

const SOURCES = [
  { id: "text", label: "Paste or upload" },
  { id: "url", label: "From a URL" },
] as const;

function ReadStep(props: {
  readonly slug: string;
  readonly onSlug: (slug: string) => void;
  readonly onFound: (found: ImportView) => void;
}): JSX.Element {
  const { slug, onSlug, onFound } = props;
  const [source, setSource] = useState<"text" | "url">("text");
  const [text, setText] = useState("");
  const [url, setUrl] = useState("");
  const [error, setError] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const body = source === "url" ? { url: url.trim() } : { document: text };
      onFound(await change<ImportView>("POST", `servers/${encodeURIComponent(slug)}/import`, body));
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
    }
  };
  return (
    <Panel title="Read a document">
      <form class="form form-wide" onSubmit={(event) => void submit(event)}>
        <SlugField slug={slug} onSlug={onSlug} />
        <Segments
          legend="Where the document is"
          group="source"
          segments={SOURCES}
          chosen={source}
          onChoose={setSource}
        />
        {source === "url" ? (
          <Field label="URL" isRequired hint="Fetched by the gateway, from addresses that its configuration allows.">
            {(attributes) => (
              <input
                {...attributes}
                type="url"
                required
                placeholder="https://api.example.com/openapi.json"
                value={url}
                onInput={({ currentTarget }) => setUrl(currentTarget.value)}
              />
            )}
          </Field>
        ) : (
          <>
            <FileField label="Choose a file" accept=".json,.yaml,.yml" onText={setText} />
            <Field label="Document" isRequired hint="JSON or YAML, at most 20 MiB.">
              {(attributes) => (
                <textarea
                  {...attributes}
                  class="code-input"
                  rows={12}
                  required
                  spellcheck={false}
                  value={text}
                  onInput={({ currentTarget }) => setText(currentTarget.value)}
                />
              )}
            </Field>
          </>
        )}
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <div class="form-actions">
          <button type="submit" class="button button-primary" disabled={isBusy}>
            {isBusy ? "Reading …" : "Read the document"}
          </button>
        </div>
      </form>
    </Panel>
  );
}

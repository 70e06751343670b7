import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { CandidateView, ImportView } from "../../../src/admin/views.ts";
import { messageOf } from "../api/client.ts";
import { Field } from "../controls/field.tsx";
import { Notice, Panel } from "../controls/panel.tsx";
import { fitsFilter } from "../format/fits-filter.ts";
import { formatCompact, formatCount, plural } from "../format/numbers.ts";
import { TokenBar } from "./servers.tsx";

/** The operations and settings that become a server. */
export interface Choice {
  readonly operations: readonly string[];
  readonly status: "active" | "draft";
  readonly baseUrl?: string;
  readonly schemes?: readonly string[];
}

/** From here on, a model spends much of its attention on the list of tools. */
const MANY_TOKENS = 25_000;

/** Chooses operations of a document, with their size in view. */
export function ImportChoice(props: {
  readonly found: ImportView;
  readonly slug: string;
  readonly onBack: () => void;
  readonly onCommit: (choice: Choice) => Promise<void>;
}): JSX.Element {
  const { found, slug, onBack, onCommit } = props;
  const usable = useMemo(() => found.candidates.filter(({ tool }) => tool !== undefined), [found]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(usable.length <= 20 ? usable.map(({ id }) => id) : []),
  );
  const [filter, setFilter] = useState("");
  const [baseUrl, setBaseUrl] = useState(found.servers[0] ?? "");
  const [schemes, setSchemes] = useState<readonly string[]>(
    found.securitySchemes.filter(({ isSupported }) => isSupported).map(({ name }) => name),
  );
  const [status, setStatus] = useState<"active" | "draft">("draft");
  const [error, setError] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const tokens = usable.filter(({ id }) => chosen.has(id)).reduce((sum, each) => sum + each.tokens, 0);
  const shown = found.candidates.filter((candidate) => fitsFilter(candidate, filter));
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await onCommit({
        operations: [...chosen],
        status,
        ...(baseUrl.trim() === "" ? {} : { baseUrl: baseUrl.trim() }),
        ...(schemes.length === 0 ? {} : { schemes }),
      });
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
    }
  };
  const set = (ids: readonly string[], isOn: boolean): void => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (isOn) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };
  const visible = shown.filter(({ tool }) => tool !== undefined).map(({ id }) => id);
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Panel
        title="Choose operations"
        note={`${found.title}, OpenAPI ${found.version}: ${plural(usable.length, "operation")} can become tools`}
        actions={
          <>
            <button type="button" class="button button-quiet" onClick={() => set(visible, true)}>
              Choose all shown
            </button>
            <button type="button" class="button button-quiet" onClick={() => set(visible, false)}>
              Choose none
            </button>
          </>
        }
      >
        <label class="inline-field">
          <span>Find</span>
          <input
            type="search"
            placeholder="name, path or tag"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        </label>
        <CandidateTable candidates={shown} chosen={chosen} onChange={(id, isOn) => set([id], isOn)} />
        <p class="sum" role="status">
          <b>{plural(chosen.size, "tool")}</b> chosen, about <b>{formatCompact(tokens)}</b> tokens in the list that a
          model reads.
          {tokens > MANY_TOKENS ? " That is a lot: choose fewer, or set mode: search on the server." : ""}
        </p>
      </Panel>
      <Panel title="Server" note={`/mcp/${slug}`}>
        <div class="form form-wide">
          <Field label="Base URL" hint="Requests go here, and nowhere else. The document only suggests it.">
            {(attributes) => (
              <input
                {...attributes}
                type="url"
                value={baseUrl}
                onInput={({ currentTarget }) => setBaseUrl(currentTarget.value)}
              />
            )}
          </Field>
          {found.securitySchemes.length === 0 ? null : (
            <fieldset class="group">
              <legend>Credentials</legend>
              <p class="hint">Each refers to a sealed secret, which you set afterwards.</p>
              {found.securitySchemes.map(({ name, kind, isSupported }) => (
                <label class="check" key={name}>
                  <input
                    type="checkbox"
                    disabled={!isSupported}
                    checked={schemes.includes(name)}
                    onChange={({ currentTarget }) =>
                      setSchemes(currentTarget.checked ? [...schemes, name] : schemes.filter((each) => each !== name))
                    }
                  />
                  {name} <span class="muted">{isSupported ? kind : `${kind}, not supported`}</span>
                </label>
              ))}
            </fieldset>
          )}
          <Field label="Status" hint="A draft can be tried here, and is not there for clients.">
            {(attributes) => (
              <select
                {...attributes}
                value={status}
                onChange={({ currentTarget }) => setStatus(currentTarget.value === "active" ? "active" : "draft")}
              >
                <option value="draft">draft</option>
                <option value="active">active</option>
              </select>
            )}
          </Field>
          {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
          <div class="form-actions">
            <button type="submit" class="button button-primary" disabled={isBusy || chosen.size === 0}>
              Make a server of {plural(chosen.size, "tool")}
            </button>
            <button type="button" class="button" onClick={onBack}>
              Back
            </button>
          </div>
        </div>
      </Panel>
    </form>
  );
}

const MOST_ROWS = 300;

function CandidateTable(props: {
  readonly candidates: readonly CandidateView[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (id: string, isOn: boolean) => void;
}): JSX.Element {
  const { candidates, chosen, onChange } = props;
  const most = Math.max(1, ...candidates.map(({ tokens }) => tokens));
  return (
    <>
      <table class="rows">
        <caption class="visually-hidden">Operations of the document</caption>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            <th scope="col">Tool</th>
            <th scope="col">Size for a model</th>
          </tr>
        </thead>
        <tbody>
          {candidates.slice(0, MOST_ROWS).map((candidate) => (
            <tr key={candidate.id} class={candidate.tool === undefined ? "row-off" : ""}>
              <td class="cell-main">
                <label class="check">
                  <input
                    type="checkbox"
                    disabled={candidate.tool === undefined}
                    checked={chosen.has(candidate.id)}
                    onChange={({ currentTarget }) => onChange(candidate.id, currentTarget.checked)}
                  />
                  <span>
                    <span class={`method method-${candidate.method.toLowerCase()}`}>{candidate.method}</span>{" "}
                    <code>{candidate.path}</code>
                    {candidate.description === undefined ? null : (
                      <span class="cell-note">{candidate.description}</span>
                    )}
                  </span>
                </label>
              </td>
              <td>
                {candidate.tool ?? <span class="muted">not possible: {candidate.reason ?? ""}</span>}
                {candidate.notes.map((note) => (
                  <span class="cell-note" key={note}>
                    {note}
                  </span>
                ))}
              </td>
              {candidate.tool === undefined ? (
                <td class="cell-none">–</td>
              ) : (
                <td>
                  <TokenBar tokens={candidate.tokens} most={most} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {candidates.length > MOST_ROWS ? (
        <p class="muted">
          {formatCount(candidates.length - MOST_ROWS)} more are not shown. Find some of them by name, path or tag.
        </p>
      ) : null}
    </>
  );
}

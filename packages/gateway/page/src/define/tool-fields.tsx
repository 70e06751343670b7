import type { JSX } from "preact";
import { Field } from "../controls/field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { ArgumentRows } from "./argument-rows.tsx";
import { PairRows } from "./pair-rows.tsx";
import type { PlacedProblems } from "./problem-places.ts";
import { METHODS, withArgumentsOfUrl, writeSchema, type ToolDraft } from "./tool-draft.ts";

/** The fields of a hand-written tool. */
export function ToolFields(props: {
  readonly draft: ToolDraft;
  readonly problems: PlacedProblems;
  readonly credentials: readonly string[];
  readonly isNew: boolean;
  readonly onChange: (draft: ToolDraft) => void;
}): JSX.Element {
  const { draft, credentials, isNew, onChange } = props;
  const { byField } = props.problems;
  const set = (change: Partial<ToolDraft>): void => onChange({ ...draft, ...change });
  const { rows } = draft;
  return (
    <>
      <TextField
        label="Name"
        isRequired
        hint={isNew ? "Letters, digits, hyphens and underscores, such as get_weather." : "The name cannot be changed."}
        error={byField.get("")}
        value={draft.name}
        onValue={(text) => set({ name: text })}
        input={{ readOnly: !isNew, maxLength: 64 }}
      />
      <Field
        label="Description"
        isRequired
        hint="Tells the model when and how to use it."
        error={byField.get("description")}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            required
            rows={2}
            value={draft.description}
            onInput={({ currentTarget }) => set({ description: currentTarget.value })}
          />
        )}
      </Field>
      <div class="method-and-url">
        <Field label="Method" error={byField.get("request.method")}>
          {(attributes) => (
            <select
              {...attributes}
              value={draft.method}
              onChange={({ currentTarget }) =>
                set({ method: METHODS.find((method) => method === currentTarget.value) ?? "GET" })
              }
            >
              {METHODS.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </select>
          )}
        </Field>
        <TextField
          label="URL"
          isRequired
          hint="Absolute. {name} stands for an argument in the path."
          error={byField.get("request.url")}
          value={draft.url}
          onValue={(url) =>
            set({ url, ...(rows === undefined ? {} : { rows: withArgumentsOfUrl(rows, url, draft.url) }) })
          }
          input={{ inputMode: "url", placeholder: "https://api.example.com/cities/{city}" }}
        />
      </div>
      {rows === undefined ? (
        <SchemaField draft={draft} error={byField.get("input")} onChange={onChange} />
      ) : (
        <>
          <ArgumentRows rows={rows} onChange={(next) => set({ rows: next })} />
          <p class="form-aside">
            <button
              type="button"
              class="button button-quiet"
              onClick={() => set({ rows: undefined, schema: writeSchema(rows) })}
            >
              Write them as JSON Schema
            </button>
          </p>
        </>
      )}
      <details class="more-fields" open={!isNew}>
        <summary>Headers, credential and response</summary>
        <div class="form">
          <PairRows
            legend="Headers"
            one="header"
            hint="Sent with every request. What must not be seen belongs into a credential."
            pairs={draft.headers}
            onChange={(headers) => set({ headers })}
          />
          {credentials.length === 0 ? null : (
            <Field label="Credential" error={byField.get("credential")}>
              {(attributes) => (
                <select
                  {...attributes}
                  value={draft.credential}
                  onChange={({ currentTarget }) => set({ credential: currentTarget.value })}
                >
                  <option value="">The only one of the server, if there is one</option>
                  {credentials.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                  <option value="none">none</option>
                </select>
              )}
            </Field>
          )}
          <TextField
            label="Select from the response"
            hint="A JMESPath expression, such as items[].{id: id, name: name}. Empty for all of it."
            error={byField.get("response.select")}
            value={draft.select}
            onValue={(text) => set({ select: text })}
            input={{ class: "code-input" }}
          />
          <Field label="Response" error={byField.get("response.as")}>
            {(attributes) => (
              <select
                {...attributes}
                value={draft.as}
                onChange={({ currentTarget }) => set({ as: currentTarget.value === "auto" ? "auto" : "text" })}
              >
                <option value="text">is text</option>
                <option value="auto">can be an image or other data</option>
              </select>
            )}
          </Field>
        </div>
      </details>
      <Field label="Status" hint="A draft can be tried here, and is not there for clients.">
        {(attributes) => (
          <select
            {...attributes}
            value={draft.status}
            onChange={({ currentTarget }) => set({ status: currentTarget.value === "draft" ? "draft" : "active" })}
          >
            <option value="active">active</option>
            <option value="draft">draft</option>
          </select>
        )}
      </Field>
    </>
  );
}

function SchemaField(props: {
  readonly draft: ToolDraft;
  readonly error: string | undefined;
  readonly onChange: (draft: ToolDraft) => void;
}): JSX.Element {
  const { draft, error, onChange } = props;
  return (
    <Field label="Arguments" isRequired hint="JSON Schema of an object." error={error}>
      {(attributes) => (
        <textarea
          {...attributes}
          class="code-input"
          required
          rows={10}
          spellcheck={false}
          autocomplete="off"
          value={draft.schema}
          onInput={({ currentTarget }) => onChange({ ...draft, schema: currentTarget.value })}
        />
      )}
    </Field>
  );
}

import type { JSX } from "preact";
import { Field } from "../controls/field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { Notice } from "../controls/panel.tsx";
import { Segments } from "../controls/segments.tsx";
import { PairRows } from "./pair-rows.tsx";
import type { PlacedProblems } from "./problem-places.ts";
import type { UpstreamDraft, UpstreamLogin } from "./upstream-draft.ts";

const KINDS = [
  { id: "url", label: "At a URL" },
  { id: "program", label: "A program" },
] as const;

const LOGINS: readonly { readonly id: UpstreamLogin; readonly name: string }[] = [
  { id: "none", name: "It needs no login" },
  { id: "token", name: "A token that I have" },
  { id: "each", name: "Each caller logs in (OAuth)" },
  { id: "shared", name: "An admin logs in for all callers (OAuth)" },
];

interface FieldsProps {
  readonly draft: UpstreamDraft;
  readonly problems: PlacedProblems;
  readonly isNew: boolean;
  /** Whether the configuration file lets admins start programs. */
  readonly allowsPrograms: boolean;
  readonly onChange: (draft: UpstreamDraft) => void;
}

/** The fields of another MCP server. */
export function UpstreamFields(props: FieldsProps): JSX.Element {
  const { draft, isNew, allowsPrograms, onChange } = props;
  const { byField } = props.problems;
  const set = (change: Partial<UpstreamDraft>): void => onChange({ ...draft, ...change });
  const isRefused = draft.kind === "program" && !allowsPrograms;
  return (
    <>
      <TextField
        label="Name"
        isRequired
        hint={isNew ? "Tells upstreams of one server apart, such as docs." : "The name cannot be changed."}
        error={byField.get("")}
        value={draft.name}
        onValue={(text) => set({ name: text })}
        input={{ readOnly: !isNew, maxLength: 64 }}
      />
      <Segments
        legend="Where the server is"
        group="kind"
        segments={KINDS}
        chosen={draft.kind}
        onChoose={(kind) => set({ kind })}
      />
      {isRefused ? (
        <Notice tone="plain">
          A program would run on the machine of the gateway, with the rights of the gateway. The configuration file does
          not let this page start programs: write the upstream there, or set{" "}
          <code>{"admin: { machineAccess: true }"}</code> and start the gateway again.
        </Notice>
      ) : (
        <>
          {draft.kind === "url" ? <UrlFields {...props} /> : <ProgramFields {...props} />}
          <TextField
            label="Prefix"
            hint="Put in front of the names of its tools, with an underscore."
            error={byField.get("prefix")}
            value={draft.prefix}
            onValue={(text) => set({ prefix: text })}
          />
          <label class="check">
            <input
              type="checkbox"
              checked={draft.isPinned}
              onChange={({ currentTarget }) => set({ isPinned: currentTarget.checked })}
            />
            <span>
              Pin its tools <span class="muted">– those that change are refused until somebody accepts them</span>
            </span>
          </label>
        </>
      )}
    </>
  );
}

function UrlFields({ draft, problems: { byField }, onChange }: FieldsProps): JSX.Element {
  const set = (change: Partial<UpstreamDraft>): void => onChange({ ...draft, ...change });
  const { auth } = draft.kept;
  const hasToken = auth !== undefined && "bearer" in auth;
  return (
    <>
      <TextField
        label="URL"
        isRequired
        hint="https://, http://, wss:// or ws://, at an address that the configuration allows."
        error={byField.get("url")}
        value={draft.url}
        onValue={(text) => set({ url: text })}
        input={{ inputMode: "url", placeholder: "https://docs.example.com/mcp" }}
      />
      <Field label="Login" error={byField.get("auth") ?? byField.get("auth.oauth")}>
        {(attributes) => (
          <select
            {...attributes}
            value={draft.login}
            onChange={({ currentTarget: { value } }) =>
              set({ login: value === "kept" ? "kept" : (LOGINS.find(({ id }) => id === value)?.id ?? "none") })
            }
          >
            {LOGINS.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            {draft.login === "kept" ? <option value="kept">As the configuration below says</option> : null}
          </select>
        )}
      </Field>
      {draft.login === "token" ? (
        <TextField
          label="Token"
          isRequired={!hasToken}
          hint={
            hasToken
              ? "Leave it empty to keep the one that is set."
              : "It is sealed, and nobody can read it again. It is sent as Authorization: Bearer."
          }
          error={byField.get("auth.bearer")}
          value={draft.token}
          onValue={(text) => set({ token: text })}
          input={{ type: "password" }}
        />
      ) : null}
      <PairRows
        legend="Headers"
        one="header"
        hint="Sent with every request. Write ${secret:name} for what must not be seen."
        pairs={draft.headers}
        onChange={(headers) => set({ headers })}
      />
    </>
  );
}

function ProgramFields({ draft, problems: { byField }, onChange }: FieldsProps): JSX.Element {
  const set = (change: Partial<UpstreamDraft>): void => onChange({ ...draft, ...change });
  return (
    <>
      <TextField
        label="Command"
        isRequired
        hint="It runs on the machine of the gateway, with the rights of the gateway."
        error={byField.get("command")}
        value={draft.command}
        onValue={(text) => set({ command: text })}
        input={{ class: "code-input", placeholder: "npx" }}
      />
      <Field label="Arguments" hint="One in each line." error={byField.get("args")}>
        {(attributes) => (
          <textarea
            {...attributes}
            class="code-input"
            rows={3}
            spellcheck={false}
            autocomplete="off"
            value={draft.args}
            onInput={({ currentTarget }) => set({ args: currentTarget.value })}
          />
        )}
      </Field>
      <PairRows
        legend="Environment"
        one="variable"
        hint="It gets these and no others. Write ${secret:name} for what must not be seen."
        pairs={draft.env}
        onChange={(env) => set({ env })}
      />
    </>
  );
}

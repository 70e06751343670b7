import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { KeysView, NewKeyView, ServerSummary } from "../../../src/admin/views.ts";
import type { ApiKey } from "../../../src/storage/storage.ts";
import { change, messageOf } from "../api/client.ts";
import { usePoll } from "../api/poll.ts";
import { announce } from "../controls/announce.tsx";
import { Confirm } from "../controls/confirm.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { Field } from "../controls/field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { Icon } from "../controls/icon.tsx";
import { Notice, Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { formatFullTime } from "../format/times.ts";

/** The API keys by which clients are let in. */
export function KeysPage(): JSX.Element {
  const { data, error, refresh } = usePoll<KeysView>("keys");
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | undefined>();
  return (
    <>
      <ViewHead title="Keys" note="API keys of clients. Each is shown once, when it is made">
        <button type="button" class="button button-primary" onClick={() => setMaking(true)}>
          <Icon name="plus" /> Make a key
        </button>
      </ViewHead>
      <Panel title="All keys">
        {data === undefined ? <Waiting error={error} /> : <KeyTable keys={data.keys} onRevoke={setRevoking} />}
      </Panel>
      {isMaking ? <NewKey onClose={() => setMaking(false)} onChange={refresh} /> : null}
      {revoking === undefined ? null : (
        <Confirm
          title={`Revoke ${revoking.name}?`}
          text="Clients that use this key are refused from now on. It cannot be brought back."
          action="Revoke the key"
          run={async () => {
            await change("DELETE", `keys/${encodeURIComponent(revoking.id)}`);
            announce(`${revoking.name} was revoked.`);
            refresh();
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}

function KeyTable(props: { readonly keys: readonly ApiKey[]; readonly onRevoke: (key: ApiKey) => void }): JSX.Element {
  if (props.keys.length === 0) {
    return (
      <p class="empty">
        There is no key yet. Make one here, or on the page of a server, where it comes with the text for your client.
      </p>
    );
  }
  return (
    <table class="rows">
      <caption class="visually-hidden">API keys</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Begins with</th>
          <th scope="col">Opens</th>
          <th scope="col">Stands for</th>
          <th scope="col">Made</th>
          <th scope="col">Ends</th>
          <th scope="col">Last used</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {props.keys.map((key) => (
          <tr key={key.id}>
            <td class="cell-main">
              <b>{key.name}</b>
            </td>
            <td>
              <code class="one-piece">{key.prefix}…</code>
            </td>
            <td data-label="Opens">{key.servers === undefined ? "all servers" : key.servers.join(", ")}</td>
            <td class="cell-client" data-label="Stands for">
              {key.principal ?? <span class="muted">itself</span>}
            </td>
            <td data-label="Made">{formatFullTime(key.createdAt)}</td>
            <td data-label="Ends">{key.expiresAt === undefined ? "never" : formatFullTime(key.expiresAt)}</td>
            <td data-label="Last used">{key.lastUsedAt === undefined ? "never" : formatFullTime(key.lastUsedAt)}</td>
            <td>
              <button type="button" class="button button-quiet" onClick={() => props.onRevoke(key)}>
                Revoke<span class="visually-hidden"> {key.name}</span>
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const LIFETIMES = [
  { id: "", name: "Never" },
  { id: "30", name: "In 30 days" },
  { id: "90", name: "In 90 days" },
  { id: "365", name: "In a year" },
] as const;

function NewKey({ onClose, onChange }: { readonly onClose: () => void; readonly onChange: () => void }): JSX.Element {
  const servers = usePoll<{ readonly servers: readonly ServerSummary[] }>("servers", 60_000).data?.servers ?? [];
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [principal, setPrincipal] = useState("");
  const [days, setDays] = useState("");
  const [made, setMade] = useState<NewKeyView | undefined>();
  const [error, setError] = useState<string | undefined>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const body = {
        name: name.trim(),
        ...(chosen.length === 0 ? {} : { servers: chosen }),
        ...(principal.trim() === "" ? {} : { principal: principal.trim() }),
        ...(days === "" ? {} : { expiresAt: Date.now() + Number(days) * 86_400_000 }),
      };
      setMade(await change<NewKeyView>("POST", "keys", body));
      onChange();
    } catch (failure) {
      setError(messageOf(failure));
    }
  };
  if (made !== undefined) {
    return (
      <Dialog title="Copy the key now" onClose={onClose}>
        <p>This is the only time that it is shown. Only its digest is kept.</p>
        <p class="secret">
          <code>{made.secret}</code>
          <CopyButton text={made.secret} label="Copy the key" />
        </p>
        <p class="muted">
          Clients send it as <code>Authorization: Bearer …</code>
        </p>
        <div class="dialog-actions">
          <button type="button" class="button button-primary" onClick={onClose}>
            I have it
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Make a key" onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <TextField
          label="Name"
          isRequired
          hint="Say what it is for, so that you know which one to revoke."
          value={name}
          onValue={setName}
          input={{ maxLength: 100 }}
        />
        <fieldset class="group">
          <legend>Opens</legend>
          <p class="hint">Without a choice, it opens all servers.</p>
          {servers.map(({ slug, title }) => (
            <label class="check" key={slug}>
              <input
                type="checkbox"
                checked={chosen.includes(slug)}
                onChange={({ currentTarget }) =>
                  setChosen(currentTarget.checked ? [...chosen, slug] : chosen.filter((each) => each !== slug))
                }
              />
              {title ?? slug}
            </label>
          ))}
        </fieldset>
        <TextField
          label="Principal"
          hint="Keys of one principal share credentials and limits. Without one, the key stands for itself."
          value={principal}
          onValue={setPrincipal}
          input={{ maxLength: 256 }}
        />
        <Field label="Ends">
          {(attributes) => (
            <select {...attributes} value={days} onChange={({ currentTarget }) => setDays(currentTarget.value)}>
              {LIFETIMES.map((each) => (
                <option key={each.id} value={each.id}>
                  {each.name}
                </option>
              ))}
            </select>
          )}
        </Field>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-primary">
            Make the key
          </button>
        </div>
      </form>
    </Dialog>
  );
}

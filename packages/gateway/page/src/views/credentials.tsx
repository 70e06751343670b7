import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CredentialView, SecretView } from "../../../src/admin/views.ts";
import { change, messageOf } from "../api/client.ts";
import { usePoll } from "../api/poll.ts";
import { announce } from "../controls/announce.tsx";
import { Confirm } from "../controls/confirm.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { TextField } from "../controls/text-field.tsx";
import { Icon } from "../controls/icon.tsx";
import { Notice, Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { formatFullTime } from "../format/times.ts";
import { Link } from "../location/link.tsx";
import { pathTo } from "../location/query.ts";

/** Credentials of all servers, and the sealed secrets that they refer to. */
export function CredentialsView(): JSX.Element {
  const credentials = usePoll<{ readonly credentials: readonly CredentialView[] }>("credentials");
  const secrets = usePoll<{ readonly secrets: readonly SecretView[] }>("secrets");
  const [dialog, setDialog] = useState<{ name: string; principal: string } | undefined>();
  const refresh = (): void => {
    credentials.refresh();
    secrets.refresh();
  };
  return (
    <>
      <ViewHead title="Credentials" note="Values can be set here, and are never shown">
        <button type="button" class="button button-primary" onClick={() => setDialog({ name: "", principal: "" })}>
          <Icon name="plus" /> Set a secret
        </button>
      </ViewHead>
      <Panel title="Credentials of servers">
        {credentials.data === undefined ? (
          <Waiting error={credentials.error} />
        ) : (
          <CredentialTable credentials={credentials.data.credentials} onChange={refresh} />
        )}
      </Panel>
      <Panel title="Sealed secrets" note="referred to as ${secret:name}">
        {secrets.data === undefined ? (
          <Waiting error={secrets.error} />
        ) : (
          <SecretTable secrets={secrets.data.secrets} onReplace={setDialog} onChange={refresh} />
        )}
      </Panel>
      {dialog === undefined ? null : (
        <SecretDialog initial={dialog} onClose={() => setDialog(undefined)} onChange={refresh} />
      )}
    </>
  );
}

/** Credentials of servers: set or not, and a way to set them. */
export function CredentialTable(props: {
  readonly credentials: readonly CredentialView[];
  readonly onChange: () => void;
}): JSX.Element {
  const { credentials, onChange } = props;
  const [dialog, setDialog] = useState<{ name: string; principal: string } | undefined>();
  if (credentials.length === 0) {
    return (
      <p class="empty">
        No server has credentials. An API that needs one gets it by <code>credentials</code> in the configuration file,
        such as <code>{'{ api: { bearer: "${secret:api}" } }'}</code>; an{" "}
        <Link href="/add/openapi">imported document</Link> brings its own. The secret itself is set here.
      </p>
    );
  }
  return (
    <>
      <table class="rows">
        <caption class="visually-hidden">Credentials</caption>
        <thead>
          <tr>
            <th scope="col">Credential</th>
            <th scope="col">Kind</th>
            <th scope="col">Whose</th>
            <th scope="col">Value</th>
            <th scope="col">Secrets</th>
          </tr>
        </thead>
        <tbody>
          {credentials.map((credential) => (
            <tr key={`${credential.server}/${credential.name}`}>
              <td class="cell-main">
                <b>{credential.name}</b> <Link href={pathTo("servers", credential.server)}>{credential.server}</Link>
              </td>
              <td data-label="Kind">{credential.kind}</td>
              <td data-label="Whose">{credential.perUser ? "each caller's own" : "shared"}</td>
              <td>
                <span class={credential.isSet ? "badge badge-set" : "badge badge-unset"}>
                  <i aria-hidden="true">{credential.isSet ? "✓" : "!"}</i>
                  {credential.isSet ? "set" : credential.perUser ? "none shared" : "not set"}
                </span>
              </td>
              <td>
                {credential.secrets.length === 0 ? <span class="muted">from elsewhere</span> : null}
                {credential.secrets.map((name) => (
                  <button
                    key={name}
                    type="button"
                    class="button button-quiet"
                    onClick={() => setDialog({ name, principal: "" })}
                  >
                    Set <code>{name}</code>
                  </button>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {dialog === undefined ? null : (
        <SecretDialog initial={dialog} onClose={() => setDialog(undefined)} onChange={onChange} />
      )}
    </>
  );
}

function SecretTable(props: {
  readonly secrets: readonly SecretView[];
  readonly onReplace: (secret: { name: string; principal: string }) => void;
  readonly onChange: () => void;
}): JSX.Element {
  const { secrets, onReplace, onChange } = props;
  const [removing, setRemoving] = useState<SecretView | undefined>();
  if (secrets.length === 0) {
    return (
      <p class="empty">
        No secret is set. Set one here, and refer to it as <code>{"${secret:name}"}</code> where a credential or a
        header is needed.
      </p>
    );
  }
  return (
    <>
      <table class="rows">
        <caption class="visually-hidden">Sealed secrets</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Principal</th>
            <th scope="col">Set on</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {secrets.map((secret) => (
            <tr key={`${secret.name}/${secret.principal ?? ""}`}>
              <td class="cell-main">
                <code>{secret.name}</code>
              </td>
              <td data-label="Principal">{secret.principal ?? <span class="muted">all</span>}</td>
              <td data-label="Set on">{formatFullTime(secret.updatedAt)}</td>
              <td>
                <button
                  type="button"
                  class="button button-quiet"
                  onClick={() => onReplace({ name: secret.name, principal: secret.principal ?? "" })}
                >
                  Replace<span class="visually-hidden"> {secret.name}</span>
                </button>
                <button type="button" class="button button-quiet" onClick={() => setRemoving(secret)}>
                  Remove<span class="visually-hidden"> {secret.name}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {removing === undefined ? null : (
        <Confirm
          title={`Remove ${removing.name}?`}
          text="Calls that need it fail from then on, until it is set again."
          action="Remove the secret"
          run={async () => {
            await change("DELETE", pathOf(removing.name, removing.principal ?? ""));
            announce(`${removing.name} was removed.`);
            onChange();
          }}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

function SecretDialog(props: {
  readonly initial: { readonly name: string; readonly principal: string };
  readonly onClose: () => void;
  readonly onChange: () => void;
}): JSX.Element {
  const [name, setName] = useState(props.initial.name);
  const [principal, setPrincipal] = useState(props.initial.principal);
  const [value, setValue] = useState("");
  const [error, setError] = useState<string | undefined>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await change("PUT", pathOf(name.trim(), principal.trim()), { value });
      announce(`${name} is set.`);
      props.onChange();
      props.onClose();
    } catch (failure) {
      setError(messageOf(failure));
    }
  };
  return (
    <Dialog title="Set a secret" onClose={props.onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <TextField label="Name" isRequired hint="As in ${secret:name}." value={name} onValue={setName} />
        <TextField
          label="Principal"
          hint="Leave it empty for a secret that all callers share."
          value={principal}
          onValue={setPrincipal}
        />
        <TextField
          label="Value"
          isRequired
          hint="It is sealed, and nobody can read it again."
          value={value}
          onValue={setValue}
          input={{ type: "password" }}
        />
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={props.onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-primary">
            Set the secret
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function pathOf(name: string, principal: string): string {
  return principal === ""
    ? `secrets/${encodeURIComponent(name)}`
    : `principals/${encodeURIComponent(principal)}/credentials/${encodeURIComponent(name)}`;
}

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { NewKeyView, ServerSummary } from "../../../src/admin/views.ts";
import { writeSnippets, type Snippet } from "../../../src/hosts/snippets.ts";
import { change, messageOf } from "../api/client.ts";
import { announce } from "../controls/announce.tsx";
import { CodeBlock } from "../controls/code-block.tsx";
import { Icon } from "../controls/icon.tsx";
import { Notice, Panel } from "../controls/panel.tsx";
import { Tabs } from "../controls/tabs.tsx";
import { Link } from "../location/link.tsx";
import { describeAccess, describeStatus, endpointEntry, keyName, takesKeys } from "./endpoint-entry.ts";

/** How to connect clients to a server: a text for each application, with a key that is made on the spot. */
export function ConnectPanel({ server }: { readonly server: ServerSummary }): JSX.Element {
  const [made, setMade] = useState<NewKeyView | undefined>();
  const [chosen, setChosen] = useState<Snippet["id"]>("claude-desktop");
  const snippets = writeSnippets(endpointEntry(server, made?.secret));
  const snippet = snippets.find(({ id }) => id === chosen);
  const status = describeStatus(server.status);
  return (
    <Panel title="Connect" note="a client to this server">
      {status === undefined ? null : <Notice tone="plain">{status}</Notice>}
      <div class="connect-access">
        <p>{describeAccess(server.access, made !== undefined)}</p>
        {takesKeys(server.access) ? (
          <KeyMaker server={server} application={snippet?.title ?? "client"} made={made} onMade={setMade} />
        ) : null}
      </div>
      <Tabs
        label="Applications"
        tabs={snippets.map(({ id, title }) => ({ id, label: title }))}
        chosen={chosen}
        onChoose={setChosen}
      >
        {snippet === undefined ? null : <SnippetText snippet={snippet} />}
      </Tabs>
    </Panel>
  );
}

function KeyMaker(props: {
  readonly server: ServerSummary;
  readonly application: string;
  readonly made: NewKeyView | undefined;
  readonly onMade: (made: NewKeyView | undefined) => void;
}): JSX.Element {
  const { server, application, made, onMade } = props;
  const [error, setError] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(messageOf(failure));
    }
    setBusy(false);
  };
  const make = async (): Promise<void> => {
    const body = { name: keyName(application, server.slug), servers: [server.slug] };
    onMade(await change<NewKeyView>("POST", "keys", body));
    announce("A key is made. It is in the text now.");
  };
  const revoke = async (): Promise<void> => {
    if (made === undefined) return;
    await change("DELETE", `keys/${encodeURIComponent(made.key.id)}`);
    onMade(undefined);
    announce("The key was revoked.");
  };
  return (
    <>
      {made === undefined ? (
        <p>
          <button type="button" class="button button-primary" disabled={isBusy} onClick={() => void run(make)}>
            <Icon name="keys" /> Make a key for this server
          </button>
        </p>
      ) : (
        <p>
          <b>Copy the text now: the key is shown this once.</b>{" "}
          <span class="muted">
            It is among the <Link href="/keys">keys</Link> as {made.key.name}.
          </span>{" "}
          <button type="button" class="button button-quiet" disabled={isBusy} onClick={() => void run(revoke)}>
            Revoke it
          </button>
        </p>
      )}
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
    </>
  );
}

function SnippetText({ snippet }: { readonly snippet: Snippet }): JSX.Element {
  const { title, text, files, command, link } = snippet;
  return (
    <>
      {files === undefined ? null : (
        <p class="muted">
          Goes into{" "}
          {files.map((file, index) => (
            <span key={file}>
              {index === 0 ? "" : ", or "}
              <code>{breakAtSlashes(file)}</code>
            </span>
          ))}
        </p>
      )}
      <CodeBlock text={text} label={`Text for ${title}`} />
      {command === undefined ? null : (
        <>
          <p class="muted">Or run</p>
          <CodeBlock text={command} label={`Command for ${title}`} />
        </>
      )}
      {link === undefined ? null : (
        <p>
          <a class="button" href={link}>
            Add it to {title}
          </a>
        </p>
      )}
    </>
  );
}

/** A path whose lines break after a slash, and not within the name of a file. */
function breakAtSlashes(path: string): ComponentChildren {
  return path.split(/(?<=\/)/).map((part) => [part, <wbr />]);
}

import type { JSX } from "preact";
import type { ServerView, ServerYamlView } from "../../../src/admin/views.ts";
import { usePoll } from "../api/poll.ts";
import { CodeBlock } from "../controls/code-block.tsx";
import { Panel, Waiting } from "../controls/panel.tsx";

/** The configuration of a server, as a configuration file has it. */
export function ServerConfigPanel({ server }: { readonly server: ServerView }): JSX.Element {
  const { data, error } = usePoll<ServerYamlView>(`servers/${encodeURIComponent(server.slug)}/yaml`, 15_000);
  return (
    <Panel
      title="Configuration"
      note={`as a file has it below servers; ${server.isFromFile ? "from the file" : `revision ${server.revision ?? 0}`}`}
    >
      {data === undefined ? (
        <Waiting error={error} />
      ) : (
        <CodeBlock text={data.yaml} label="Configuration, without secrets" />
      )}
    </Panel>
  );
}

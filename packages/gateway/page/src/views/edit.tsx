import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { ServerView } from "../../../src/admin/views.ts";
import type { ServerConfig, HttpToolConfig, UpstreamConfig } from "../../../src/config/config.ts";
import { useMachineAccess } from "../api/machine-access.ts";
import { usePoll } from "../api/poll.ts";
import { Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { DefinitionForm } from "../define/definition-form.tsx";
import { readToolForm, readUpstreamForm } from "../define/read-forms.ts";
import { draftOfTool } from "../define/tool-draft.ts";
import { ToolFields } from "../define/tool-fields.tsx";
import { draftOfUpstream } from "../define/upstream-draft.ts";
import { UpstreamFields } from "../define/upstream-fields.tsx";
import { Link } from "../location/link.tsx";
import { pathTo } from "../location/query.ts";

interface EditProps {
  readonly slug: string;
  readonly name: string;
}

/** Changes a tool that was made by hand. */
export function EditToolPage({ slug, name }: EditProps): JSX.Element {
  return (
    <Edit slug={slug} name={name} kind="tool" find={({ tools }) => tools}>
      {(server, config) => <EditTool {...{ server, name, config }} />}
    </Edit>
  );
}

/** Changes an upstream that was made by hand. */
export function EditUpstreamPage({ slug, name }: EditProps): JSX.Element {
  return (
    <Edit slug={slug} name={name} kind="MCP server" find={({ upstreams }) => upstreams}>
      {(server, config) => <EditUpstream {...{ server, name, config }} />}
    </Edit>
  );
}

function Edit<T>(props: {
  readonly slug: string;
  readonly name: string;
  readonly kind: string;
  readonly find: (config: ServerConfig) => { readonly [name: string]: T } | undefined;
  readonly children: (server: ServerView, config: T) => ComponentChildren;
}): JSX.Element {
  const { slug, name, kind, find, children } = props;
  // Read once: a form must not change under the hands of the person who fills it in.
  const { data, error } = usePoll<ServerView>(`servers/${encodeURIComponent(slug)}`, 3_600_000);
  const defined = data === undefined || data.isFromFile ? {} : (find(data.config as ServerConfig) ?? {});
  const config = Object.hasOwn(defined, name) ? defined[name] : undefined;
  const reason =
    data?.isFromFile === true
      ? `${slug} comes from the configuration file. Change it there; the gateway notices.`
      : `${slug} defines no ${kind} ${name} by hand.`;
  return (
    <>
      <p class="crumbs">
        <Link href="/servers">Servers</Link> <span aria-hidden="true">/</span>{" "}
        <Link href={pathTo("servers", slug)}>{data?.title ?? slug}</Link>
      </p>
      <ViewHead title={`Edit ${name}`} />
      {data === undefined || config === undefined ? (
        <Waiting error={data === undefined ? error : reason} />
      ) : (
        children(data, config)
      )}
    </>
  );
}

function EditTool(props: {
  readonly server: ServerView;
  readonly name: string;
  readonly config: HttpToolConfig;
}): JSX.Element {
  const { server, name, config } = props;
  const [draft, setDraft] = useState(() => draftOfTool(name, config));
  const credentials = server.credentials.map((each) => each.name);
  return (
    <Panel title="Tool">
      <DefinitionForm
        action="Save the tool"
        target={{ kind: "existing", server }}
        read={(target) => readToolForm(draft, target, undefined)}
      >
        {(problems) => <ToolFields isNew={false} onChange={setDraft} {...{ draft, problems, credentials }} />}
      </DefinitionForm>
    </Panel>
  );
}

function EditUpstream(props: {
  readonly server: ServerView;
  readonly name: string;
  readonly config: UpstreamConfig;
}): JSX.Element {
  const { server, name, config } = props;
  const allowsPrograms = useMachineAccess() === true;
  const [draft, setDraft] = useState(() => draftOfUpstream(name, config));
  const isPossible = draft.kind === "url" || allowsPrograms;
  return (
    <Panel title="MCP server">
      <DefinitionForm
        action="Save the MCP server"
        target={isPossible ? { kind: "existing", server } : undefined}
        read={(target) => readUpstreamForm(draft, target, undefined)}
      >
        {(problems) => <UpstreamFields isNew={false} onChange={setDraft} {...{ draft, problems, allowsPrograms }} />}
      </DefinitionForm>
    </Panel>
  );
}

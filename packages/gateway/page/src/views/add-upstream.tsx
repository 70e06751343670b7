import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useMachineAccess } from "../api/machine-access.ts";
import { Panel, ViewHead } from "../controls/panel.tsx";
import { DefinitionForm } from "../define/definition-form.tsx";
import { readUpstreamForm } from "../define/read-forms.ts";
import { ServerFields, useServerChoice } from "../define/server-choice.tsx";
import { EMPTY_UPSTREAM } from "../define/upstream-draft.ts";
import { UpstreamFields } from "../define/upstream-fields.tsx";
import { AddCrumbs } from "./add-crumbs.tsx";

/** Adds another MCP server, on a new server or on one that was made here. */
export function AddUpstreamPage({ server }: { readonly server: string }): JSX.Element {
  const choice = useServerChoice(server);
  const allowsPrograms = useMachineAccess() === true;
  const [draft, setDraft] = useState(EMPTY_UPSTREAM);
  const isPossible = draft.kind === "url" || allowsPrograms;
  return (
    <>
      <AddCrumbs />
      <ViewHead title="Another MCP server" note="Its tools, resources and prompts are offered through this gateway" />
      <Panel title="MCP server">
        <DefinitionForm
          action="Add the MCP server"
          target={isPossible ? choice.target : undefined}
          read={(target) =>
            readUpstreamForm(draft, target, {
              slugs: choice.servers.map(({ slug }) => slug),
              names: choice.server?.upstreams.map(({ name }) => name) ?? [],
            })
          }
        >
          {(problems) => (
            <>
              <ServerFields choice={choice} />
              <UpstreamFields isNew onChange={setDraft} {...{ draft, problems, allowsPrograms }} />
            </>
          )}
        </DefinitionForm>
      </Panel>
    </>
  );
}

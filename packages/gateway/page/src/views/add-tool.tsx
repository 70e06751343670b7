import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Panel, ViewHead } from "../controls/panel.tsx";
import { DefinitionForm } from "../define/definition-form.tsx";
import { readToolForm } from "../define/read-forms.ts";
import { ServerFields, useServerChoice } from "../define/server-choice.tsx";
import { EMPTY_TOOL } from "../define/tool-draft.ts";
import { ToolFields } from "../define/tool-fields.tsx";
import { AddCrumbs } from "./add-crumbs.tsx";

/** Makes a tool by hand, on a new server or on one that was made here. */
export function AddToolPage({ server }: { readonly server: string }): JSX.Element {
  const choice = useServerChoice(server);
  const [draft, setDraft] = useState(EMPTY_TOOL);
  const credentials = choice.server?.credentials.map(({ name }) => name) ?? [];
  return (
    <>
      <AddCrumbs />
      <ViewHead title="A tool by hand" note="One HTTP request that models can make" />
      <Panel title="Tool">
        <DefinitionForm
          action="Add the tool"
          target={choice.target}
          read={(target) =>
            readToolForm(draft, target, {
              slugs: choice.servers.map(({ slug }) => slug),
              names: choice.server?.tools.map(({ name }) => name) ?? [],
            })
          }
        >
          {(problems) => (
            <>
              <ServerFields choice={choice} />
              <ToolFields isNew onChange={setDraft} {...{ draft, problems, credentials }} />
            </>
          )}
        </DefinitionForm>
      </Panel>
    </>
  );
}

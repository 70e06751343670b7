import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError, change, messageOf } from "../api/client.ts";
import { announce } from "../controls/announce.tsx";
import { Notice } from "../controls/panel.tsx";
import { navigate } from "../location/location.ts";
import { pathTo } from "../location/query.ts";
import { NO_PROBLEMS, placeProblems, type PlacedProblems } from "./problem-places.ts";
import { saveDefinition, slugOf, type Definition, type Target } from "./save-definition.ts";

/** The form around the fields of a definition: it writes it, and shows what the gateway says is wrong. */
export function DefinitionForm(props: {
  /** The text of its button. */
  readonly action: string;
  /** The server that gets it; `undefined` while it is being read. */
  readonly target: Target | undefined;
  /** The definition that the form describes. Throws an error with a sentence if it says nothing that can be sent. */
  readonly read: (target: Target) => Definition;
  readonly children: (problems: PlacedProblems) => ComponentChildren;
}): JSX.Element {
  const { action, target, read, children } = props;
  const [problems, setProblems] = useState<PlacedProblems>(NO_PROBLEMS);
  const [error, setError] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (target === undefined) return;
    setBusy(true);
    setError(undefined);
    setProblems(NO_PROBLEMS);
    let base: readonly string[] = [];
    try {
      const definition = read(target);
      base = ["servers", slugOf(target), definition.part, definition.name];
      await saveDefinition(target, definition, change);
      announce(`${definition.name} is written.`);
      navigate(pathTo("servers", slugOf(target)));
    } catch (failure) {
      const found = failure instanceof ApiError ? failure.problems : [];
      setProblems(placeProblems(found, base));
      setError(found.length === 0 ? messageOf(failure) : undefined);
      setBusy(false);
    }
  };
  return (
    <form class="form form-wide" onSubmit={(event) => void submit(event)}>
      {children(problems)}
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      {problems.all.length === 0 ? null : (
        <Notice tone="bad">
          The gateway does not take this:
          <ul>
            {problems.all.map(({ place, message }) => (
              <li key={`${place} ${message}`}>
                <code>{place}</code> {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <div class="form-actions">
        <button type="submit" class="button button-primary" disabled={isBusy || target === undefined}>
          {isBusy ? "Writing …" : action}
        </button>
      </div>
    </form>
  );
}

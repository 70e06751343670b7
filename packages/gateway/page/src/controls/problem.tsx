import type { JSX } from "preact";
import { showHidden } from "../format/hidden-characters.ts";
import { splitProblem } from "../format/problem-text.ts";

/** A problem as one line. The rest of it, such as the log of a program, opens below. */
export function Problem({ text }: { readonly text: string }): JSX.Element {
  const { line, whole } = splitProblem(text);
  if (whole === undefined) return <div class="problem">{showHidden(line)}</div>;
  return (
    <div class="problem">
      <span>{showHidden(line)}</span>
      <details>
        <summary>Show all of it</summary>
        <pre class="code" tabIndex={0} role="region" aria-label="The whole problem">
          {showHidden(whole)}
        </pre>
      </details>
    </div>
  );
}

import type { JSX } from "preact";
import { showHidden } from "../format/hidden-characters.ts";
import { CopyButton } from "./copy-button.tsx";

/** A text to copy. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <div class="code-block">
      <pre class="code" tabIndex={0} role="region" aria-label={label}>
        {showHidden(text)}
      </pre>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  );
}

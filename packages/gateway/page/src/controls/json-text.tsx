import type { JSX } from "preact";
import { showHidden } from "../format/hidden-characters.ts";

const MOST = 200_000;

/** JSON in a readable form, as text. Anything else is shown as it is. */
export function JsonText({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={label}>
      {format(text)}
    </pre>
  );
}

function format(text: string): string {
  if (text.length > MOST) return `${showHidden(text.slice(0, MOST))} …`;
  try {
    return showHidden(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return showHidden(text);
  }
}

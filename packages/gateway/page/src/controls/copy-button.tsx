import type { JSX } from "preact";
import { announce } from "./announce.tsx";
import { Icon } from "./icon.tsx";

/** Copies a text. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      announce("Copied.");
    } catch {
      announce("The browser does not allow copying here. Select the text instead.");
    }
  };
  return (
    <button type="button" class="button button-quiet" onClick={() => void copy()} aria-label={label} title={label}>
      <Icon name="copy" />
    </button>
  );
}

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "../api/client.ts";
import { Dialog } from "./dialog.tsx";
import { Notice } from "./panel.tsx";

/** Asks before something that cannot be taken back. */
export function Confirm(props: {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
}): JSX.Element {
  const [error, setError] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      await props.run();
      props.onClose();
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <p>{props.text}</p>
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={props.onClose}>
          Cancel
        </button>
        <button type="button" class="button button-danger" disabled={isBusy} onClick={() => void run()}>
          {props.action}
        </button>
      </div>
    </Dialog>
  );
}

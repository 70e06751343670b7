import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** Chooses a file, and hands over its text. */
export function FileField(props: {
  readonly label: string;
  readonly accept: string;
  readonly onText: (text: string) => void;
}): JSX.Element {
  const [name, setName] = useState<string | undefined>();
  const choose = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setName(file.name);
    props.onText(await file.text());
  };
  return (
    <div class="file-field">
      <label class="button file-button">
        <Icon name="upload" /> {props.label}
        <input
          type="file"
          class="visually-hidden"
          accept={props.accept}
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
      </label>
      <span class="muted" role="status">
        {name ?? "or paste it below"}
      </span>
    </div>
  );
}

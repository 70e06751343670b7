import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Field } from "../controls/field.tsx";
import type { FormContext } from "./schema-form.tsx";

/** A value as JSON text, for schemas that no other input fits. */
export function JsonField(props: {
  readonly context: FormContext;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly place: string;
  readonly isRequired: boolean;
  readonly rows?: number;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  const { context, label, hint, place, isRequired, value, onChange } = props;
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [error, setError] = useState<string | undefined>();
  // A text that cannot be read must not be sent as if it were absent.
  useEffect(() => () => context.onJsonError(place, undefined), []);
  const change = (next: string): void => {
    setText(next);
    let problem: string | undefined;
    if (next.trim() === "") {
      onChange(undefined);
    } else {
      try {
        onChange(JSON.parse(next));
      } catch (failure) {
        problem = `Not JSON: ${failure instanceof Error ? failure.message : ""}`;
      }
    }
    setError(problem);
    context.onJsonError(place, problem);
  };
  return (
    <Field label={label} hint={hint ?? "As JSON."} error={error ?? context.issues.get(place)} isRequired={isRequired}>
      {(attributes) => (
        <textarea
          {...attributes}
          class="code-input"
          rows={props.rows ?? 4}
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </Field>
  );
}

import type { JSX } from "preact";
import { Field } from "./field.tsx";

/** A field for a line of text. */
export function TextField(props: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** Attributes of the input, for fields that are special. */
  readonly input?: {
    readonly class?: string;
    readonly type?: "text" | "password";
    readonly inputMode?: "url";
    readonly maxLength?: number;
    readonly pattern?: string;
    readonly placeholder?: string;
    readonly readOnly?: boolean;
  };
}): JSX.Element {
  const { label, hint, error, isRequired = false, value, onValue, input } = props;
  return (
    <Field {...{ label, hint, error, isRequired }}>
      {(attributes) => (
        <input
          {...attributes}
          {...input}
          required={isRequired}
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Field>
  );
}

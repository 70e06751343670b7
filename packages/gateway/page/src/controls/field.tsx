import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

/** The ids that connect an input with its label, its hint and its error. */
export interface InputAttributes {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

/** An input with its label, a hint, and what is wrong with it. */
export function Field(props: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly isRequired?: boolean | undefined;
  readonly children: (attributes: InputAttributes) => ComponentChildren;
}): JSX.Element {
  const id = useId();
  const { label, hint, error, isRequired } = props;
  const described = [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`].join(" ").trim();
  return (
    <div class={error === undefined ? "field" : "field field-wrong"}>
      <label for={id}>
        {label}
        {isRequired === true ? <span class="required"> required</span> : null}
      </label>
      {props.children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

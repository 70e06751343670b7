import type { JsonSchema } from "@toolwire/json-schema";
import type { ComponentChildren, JSX } from "preact";
import { Icon } from "../controls/icon.tsx";
import { hintOf } from "./field-kind.ts";

/** Fields that belong together: an object, a list, the forms of a union. */
export function Group(props: {
  readonly label: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  /** The error of the value as a whole. */
  readonly issue: string | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  const hint = hintOf(props.schema, props.root);
  return (
    <fieldset class="group">
      <legend>
        {props.label}
        {props.isRequired ? <span class="required"> required</span> : null}
      </legend>
      {hint === undefined ? null : <p class="hint">{hint}</p>}
      {props.issue === undefined ? null : <p class="error">{props.issue}</p>}
      {props.children}
    </fieldset>
  );
}

/** Adds a value that may be absent. */
export function AddButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }): JSX.Element {
  return (
    <button type="button" class="button button-quiet" onClick={onClick}>
      <Icon name="plus" /> {label}
    </button>
  );
}

/** Takes a value away again. */
export function RemoveButton(props: { readonly label: string; readonly onClick: () => void }): JSX.Element {
  return (
    <button
      type="button"
      class="button button-quiet"
      onClick={props.onClick}
      aria-label={props.label}
      title={props.label}
    >
      <Icon name="trash" />
    </button>
  );
}

import type { ComponentChildren, JSX } from "preact";

/** One of several choices that exclude each other. */
export interface Segment<Id extends string> {
  readonly id: Id;
  readonly label: ComponentChildren;
  /** The name in full, if the label is short or a picture. */
  readonly name?: string | undefined;
}

/** A row of choices, of which one holds. */
export function Segments<Id extends string>(props: {
  readonly legend: string;
  /** Tells this row from others in the same form. */
  readonly group: string;
  readonly segments: readonly Segment<Id>[];
  readonly chosen: Id | undefined;
  readonly onChoose: (id: Id) => void;
}): JSX.Element {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{props.legend}</legend>
      {props.segments.map(({ id, label, name }) => (
        <label key={id} class={props.chosen === id ? "segment segment-on" : "segment"} title={name}>
          <input
            type="radio"
            name={props.group}
            checked={props.chosen === id}
            aria-label={name}
            onChange={() => props.onChoose(id)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

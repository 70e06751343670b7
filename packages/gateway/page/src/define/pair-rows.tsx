import type { JSX } from "preact";
import { Icon } from "../controls/icon.tsx";
import type { Pair } from "./pairs.ts";

/** Rows of names and texts, such as headers. */
export function PairRows(props: {
  readonly legend: string;
  /** One of them, such as "header". */
  readonly one: string;
  readonly hint: string;
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
}): JSX.Element {
  const { legend, one, hint, pairs, onChange } = props;
  const set = (index: number, change: Partial<Pair>): void =>
    onChange(pairs.map((pair, each) => (each === index ? { ...pair, ...change } : pair)));
  return (
    <fieldset class="group">
      <legend>{legend}</legend>
      <p class="hint">{hint}</p>
      {pairs.map((pair, index) => (
        <div class="pair" key={index}>
          <input
            aria-label={`Name of ${one} ${index + 1}`}
            placeholder="Name"
            autocomplete="off"
            spellcheck={false}
            value={pair.name}
            onInput={({ currentTarget }) => set(index, { name: currentTarget.value })}
          />
          <input
            aria-label={`Value of ${one} ${index + 1}`}
            placeholder="Value"
            autocomplete="off"
            spellcheck={false}
            value={pair.value}
            onInput={({ currentTarget }) => set(index, { value: currentTarget.value })}
          />
          <button
            type="button"
            class="button button-quiet"
            aria-label={`Remove ${one} ${index + 1}`}
            onClick={() => onChange(pairs.filter((_, each) => each !== index))}
          >
            <Icon name="trash" />
          </button>
        </div>
      ))}
      <button type="button" class="button button-quiet" onClick={() => onChange([...pairs, { name: "", value: "" }])}>
        <Icon name="plus" /> Add a {one}
      </button>
    </fieldset>
  );
}

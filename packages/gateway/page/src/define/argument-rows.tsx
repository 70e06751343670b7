import type { JSX } from "preact";
import { Icon } from "../controls/icon.tsx";
import { ARGUMENT_TYPES, EMPTY_ARGUMENT, PLACES, type ArgumentDraft } from "./tool-draft.ts";

const TYPE_NAMES = { string: "Text", integer: "Whole number", number: "Number", boolean: "Yes or no" } as const;

const PLACE_NAMES = {
  "": "usual place",
  path: "path",
  query: "query",
  header: "header",
  cookie: "cookie",
  body: "body",
} as const;

/** The arguments of a tool, one in each row. */
export function ArgumentRows(props: {
  readonly rows: readonly ArgumentDraft[];
  readonly onChange: (rows: readonly ArgumentDraft[]) => void;
}): JSX.Element {
  const { rows, onChange } = props;
  const set = (index: number, change: Partial<ArgumentDraft>): void =>
    onChange(rows.map((row, each) => (each === index ? { ...row, ...change } : row)));
  return (
    <fieldset class="group">
      <legend>Arguments</legend>
      <p class="hint">
        Those that the URL names go there; others into the query of GET and DELETE, and into the body otherwise.
      </p>
      {rows.map((row, index) => (
        <ArgumentRow
          key={index}
          row={row}
          number={index + 1}
          onChange={(change) => set(index, change)}
          onRemove={() => onChange(rows.filter((_, each) => each !== index))}
        />
      ))}
      <button type="button" class="button button-quiet" onClick={() => onChange([...rows, EMPTY_ARGUMENT])}>
        <Icon name="plus" /> Add an argument
      </button>
    </fieldset>
  );
}

function ArgumentRow(props: {
  readonly row: ArgumentDraft;
  readonly number: number;
  readonly onChange: (change: Partial<ArgumentDraft>) => void;
  readonly onRemove: () => void;
}): JSX.Element {
  const { row, number, onChange, onRemove } = props;
  return (
    <div class="argument" role="group" aria-label={`Argument ${number}`}>
      <input
        aria-label="Name"
        placeholder="Name"
        required
        autocomplete="off"
        spellcheck={false}
        value={row.name}
        onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <select
        aria-label="Type"
        value={row.type}
        onChange={({ currentTarget }) =>
          onChange({ type: ARGUMENT_TYPES.find((type) => type === currentTarget.value) ?? "string" })
        }
      >
        {ARGUMENT_TYPES.map((type) => (
          <option key={type} value={type}>
            {TYPE_NAMES[type]}
          </option>
        ))}
      </select>
      <select
        aria-label="Place"
        value={row.place}
        onChange={({ currentTarget }) =>
          onChange({ place: PLACES.find((place) => place === currentTarget.value) ?? "" })
        }
      >
        {PLACES.map((place) => (
          <option key={place} value={place}>
            {PLACE_NAMES[place]}
          </option>
        ))}
      </select>
      <label class="check">
        <input
          type="checkbox"
          checked={row.isRequired}
          onChange={({ currentTarget }) => onChange({ isRequired: currentTarget.checked })}
        />
        Required
      </label>
      <button type="button" class="button button-quiet" aria-label={`Remove argument ${number}`} onClick={onRemove}>
        <Icon name="trash" />
      </button>
      <input
        class="argument-note"
        aria-label="Description"
        placeholder="What a model should know about it"
        autocomplete="off"
        value={row.description}
        onInput={({ currentTarget }) => onChange({ description: currentTarget.value })}
      />
    </div>
  );
}

import type { JsonSchema } from "@toolwire/json-schema";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Field, type InputAttributes } from "../controls/field.tsx";
import { fieldKindOf, hintOf, type FieldKind, type Member, type Variant } from "./field-kind.ts";
import { AddButton, Group, RemoveButton } from "./group.tsx";
import { initialValue, isMembers, memberOf, placeOf, withMember } from "./form-value.ts";
import { JsonField } from "./json-field.tsx";

/** The properties that all fields of a form have. */
export interface FormContext {
  /** Has the definitions that schemas refer to. */
  readonly root: JsonSchema;
  /** Errors by the place of the value. */
  readonly issues: ReadonlyMap<string, string>;
  /** Told when a text that should be JSON is not, and when it is again. */
  readonly onJsonError: (place: string, error: string | undefined) => void;
}

interface FieldProps {
  readonly context: FormContext;
  readonly schema: JsonSchema;
  readonly label: string;
  readonly place: string;
  readonly depth: number;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** The fields of an object: one for each of its properties. */
export function SchemaForm(props: {
  readonly context: FormContext;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  const { context, value, onChange } = props;
  const field = fieldKindOf(context.root, context.root);
  if (field.kind !== "object") {
    return <JsonField label="Arguments" place="" isRequired {...{ context, value, onChange }} />;
  }
  return <MemberFields members={field.members} place="" depth={0} {...{ context, value, onChange }} />;
}

function MemberFields(props: {
  readonly members: readonly Member[];
  readonly context: FormContext;
  readonly place: string;
  readonly depth: number;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  const { members, context, place, depth, value, onChange } = props;
  return (
    <>
      {members.map(({ name, schema, isRequired }) => (
        <SchemaField
          key={name}
          context={context}
          schema={schema}
          label={name}
          place={placeOf(place, name)}
          depth={depth + 1}
          isRequired={isRequired}
          value={memberOf(value, name)}
          onChange={(member) => onChange(withMember(value, name, member))}
        />
      ))}
    </>
  );
}

function SchemaField(props: FieldProps): JSX.Element {
  const { context, schema, label, place, depth, isRequired, value, onChange } = props;
  const field = fieldKindOf(schema, context.root, depth);
  if (field.kind === "json") {
    return (
      <JsonField hint={hintOf(schema, context.root)} {...{ context, label, place, isRequired, value, onChange }} />
    );
  }
  if (field.kind === "object") return <ObjectField {...props} members={field.members} />;
  if (field.kind === "list") return <ListField {...props} items={field.items} />;
  if (field.kind === "union") return <UnionField {...props} variants={field.variants} />;
  return (
    <Field label={label} hint={hintOf(schema, context.root)} error={context.issues.get(place)} isRequired={isRequired}>
      {(attributes) => <PlainInput {...{ attributes, field, isRequired, value, onChange }} />}
    </Field>
  );
}

/** An input for one value: a text, a number, a choice. */
function PlainInput(props: {
  readonly attributes: InputAttributes;
  readonly field: FieldKind;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}): JSX.Element {
  const { attributes, field, isRequired, value, onChange } = props;
  const text = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  // An empty text is a value only if the field was required or had a text before.
  const change = (next: string): void => onChange(next === "" && !isRequired ? undefined : next);
  if (field.kind === "choice" || field.kind === "boolean") {
    const values: readonly unknown[] = field.kind === "choice" ? field.values : [true, false];
    const index = values.findIndex((each) => JSON.stringify(each) === JSON.stringify(value));
    return (
      <select
        {...attributes}
        value={index < 0 ? "" : String(index)}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? undefined : values[Number(currentTarget.value)])
        }
      >
        <option value="">{isRequired ? "Choose …" : "Not set"}</option>
        {values.map((each, at) => (
          <option key={at} value={String(at)}>
            {typeof each === "string" ? each : JSON.stringify(each)}
          </option>
        ))}
      </select>
    );
  }
  if (field.kind === "number") {
    return (
      <input
        {...attributes}
        type="text"
        inputMode={field.isInteger ? "numeric" : "decimal"}
        autocomplete="off"
        value={text}
        onInput={({ currentTarget }) => onChange(readNumber(currentTarget.value))}
      />
    );
  }
  if (field.kind === "text" && field.isLong) {
    return (
      <textarea {...attributes} rows={4} value={text} onInput={({ currentTarget }) => change(currentTarget.value)} />
    );
  }
  return (
    <input
      {...attributes}
      type="text"
      autocomplete="off"
      value={text}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

/** A number; or the text itself, which the validator then refuses, so that nothing that was typed is lost. */
function readNumber(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) && !trimmed.endsWith(".") ? Number(trimmed) : text;
}

function ObjectField(props: FieldProps & { readonly members: readonly Member[] }): JSX.Element {
  const { context, schema, label, place, depth, isRequired, value, onChange, members } = props;
  const isThere = isMembers(value);
  return (
    <Group {...{ label, isRequired, schema, root: context.root, issue: context.issues.get(place) }}>
      {isThere ? <MemberFields {...{ members, context, place, depth, value, onChange }} /> : null}
      {isThere && !isRequired ? (
        <RemoveButton label={`Remove ${label}`} onClick={() => onChange(undefined)} />
      ) : isThere ? null : (
        <AddButton label={`Add ${label}`} onClick={() => onChange(initialValue(schema, context.root, depth) ?? {})} />
      )}
    </Group>
  );
}

function ListField(props: FieldProps & { readonly items: JsonSchema }): JSX.Element {
  const { context, schema, label, place, depth, isRequired, value, onChange, items } = props;
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const isPlain = !["object", "list", "union", "json"].includes(fieldKindOf(items, context.root, depth).kind);
  const change = (next: readonly unknown[]): void => onChange(next.length === 0 && !isRequired ? undefined : next);
  return (
    <Group {...{ label, isRequired, schema, root: context.root, issue: context.issues.get(place) }}>
      {list.map((item, index) => (
        <div class={isPlain ? "list-item list-item-plain" : "list-item"} key={index}>
          <SchemaField
            context={context}
            schema={items}
            label={`${label} ${index + 1}`}
            place={placeOf(place, index)}
            depth={depth + 1}
            isRequired
            value={item ?? undefined}
            onChange={(next) => change(list.with(index, next ?? null))}
          />
          <RemoveButton label={`Remove ${label} ${index + 1}`} onClick={() => change(list.toSpliced(index, 1))} />
        </div>
      ))}
      <AddButton
        label={`Add to ${label}`}
        onClick={() => onChange([...list, initialValue(items, context.root, depth + 1) ?? null])}
      />
    </Group>
  );
}

function UnionField(props: FieldProps & { readonly variants: readonly Variant[] }): JSX.Element {
  const { context, schema, label, place, depth, isRequired, value, onChange, variants } = props;
  const [chosen, choose] = useState(value === undefined ? "" : "json");
  const variant = variants[Number(chosen === "" || chosen === "json" ? -1 : chosen)];
  return (
    <Group {...{ label, isRequired, schema, root: context.root, issue: context.issues.get(place) }}>
      <Field label={`Form of ${label}`}>
        {(attributes) => (
          <select
            {...attributes}
            value={chosen}
            onChange={({ currentTarget }) => {
              choose(currentTarget.value);
              const next = variants[Number(currentTarget.value === "" ? -1 : currentTarget.value)];
              onChange(
                next === undefined
                  ? currentTarget.value === ""
                    ? undefined
                    : value
                  : initialValue(next.schema, context.root, depth),
              );
            }}
          >
            <option value="">{isRequired ? "Choose …" : "Not set"}</option>
            {variants.map(({ name }, index) => (
              <option key={index} value={String(index)}>
                {name}
              </option>
            ))}
            <option value="json">JSON</option>
          </select>
        )}
      </Field>
      {variant === undefined ? null : (
        <SchemaField
          key={chosen}
          context={context}
          schema={variant.schema}
          label={variant.name}
          place={place}
          depth={depth + 1}
          isRequired
          value={value}
          onChange={onChange}
        />
      )}
      {chosen === "json" ? (
        <JsonField label={`${label} as JSON`} {...{ context, place, isRequired, value, onChange }} />
      ) : null}
    </Group>
  );
}

import { untrustedSchemaValidator, type JsonSchema, type Validate } from "@toolwire/json-schema";
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { Notice } from "../controls/panel.tsx";
import { Segments } from "../controls/segments.tsx";
import { plural } from "../format/numbers.ts";
import { initialValue } from "./form-value.ts";
import { JsonField } from "./json-field.tsx";
import { SchemaForm, type FormContext } from "./schema-form.tsx";

const MODES = [
  { id: "form", label: "Form" },
  { id: "json", label: "JSON" },
] as const;

/** A form for the arguments of a tool. They are checked here with the validator that the gateway uses. */
export function TryForm(props: {
  readonly schema: JsonSchema;
  readonly initial: unknown;
  readonly isBusy: boolean;
  readonly onSubmit: (args: unknown) => void;
  readonly onCancel: () => void;
}): JSX.Element {
  const { schema, isBusy, onSubmit, onCancel } = props;
  const validate = useMemo(() => compile(schema), [schema]);
  const [value, setValue] = useState<unknown>(props.initial ?? initialValue(schema, schema));
  const [mode, setMode] = useState<"form" | "json">("form");
  const [wasSent, setSent] = useState(false);
  const [jsonErrors, setJsonErrors] = useState<ReadonlyMap<string, string>>(new Map());
  const form = useRef<HTMLFormElement>(null);

  const issues = useMemo(
    () => (wasSent ? findIssues(validate, value) : new Map<string, string>()),
    [wasSent, validate, value],
  );
  const context: FormContext = {
    root: schema,
    issues,
    onJsonError: (place, error) =>
      setJsonErrors((before) => {
        const after = new Map(before);
        if (error === undefined) after.delete(place);
        else after.set(place, error);
        return after;
      }),
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    setSent(true);
    if (jsonErrors.size === 0 && findIssues(validate, value).size === 0) {
      onSubmit(value ?? {});
      return;
    }
    // The first field that is wrong is the one to go on with.
    requestAnimationFrame(() => {
      const wrong = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
      wrong?.focus();
    });
  };

  return (
    <form ref={form} class="form" onSubmit={submit} noValidate>
      <Segments legend="How to write the arguments" group="mode" segments={MODES} chosen={mode} onChoose={setMode} />
      {mode === "form" ? (
        <SchemaForm context={context} value={value} onChange={setValue} />
      ) : (
        <JsonField label="Arguments" place="" isRequired rows={12} {...{ context, value, onChange: setValue }} />
      )}
      {issues.size > 0 ? (
        <Notice tone="bad">
          {plural(issues.size, "argument is", "arguments are")} not valid:
          <ul>
            {[...issues].map(([place, message]) => (
              <li key={place}>
                {place === "" ? "" : <code>{place}</code>} {message}
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
      <div class="form-actions">
        <button type="submit" class="button button-primary" disabled={isBusy}>
          {isBusy ? "Calling …" : "Call the tool"}
        </button>
        {isBusy ? (
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        ) : null}
      </div>
    </form>
  );
}

/** A schema that the validator does not take is no reason not to try the tool: the gateway checks the arguments, too. */
function compile(schema: JsonSchema): Validate {
  try {
    return untrustedSchemaValidator.compile(schema);
  } catch {
    return (value) => ({ ok: true, value });
  }
}

function findIssues(validate: Validate, value: unknown): Map<string, string> {
  const checked = validate(value ?? {});
  const issues = new Map<string, string>();
  if (checked.ok) return issues;
  for (const { path, message } of checked.issues) if (!issues.has(path)) issues.set(path, message);
  return issues;
}

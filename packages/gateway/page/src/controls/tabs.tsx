import type { ComponentChildren, JSX } from "preact";
import { useId, useRef } from "preact/hooks";

/** One of several texts in the same place. */
export interface TabChoice<Id extends string> {
  readonly id: Id;
  readonly label: string;
}

/** A row of tabs, and what belongs to the chosen one. The arrow keys go from tab to tab. */
export function Tabs<Id extends string>(props: {
  readonly label: string;
  readonly tabs: readonly TabChoice<Id>[];
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { label, tabs, chosen, onChoose, children } = props;
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const steps: { readonly [key: string]: number } = { ArrowLeft: -1, ArrowRight: 1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex(({ id }) => id === chosen);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.id);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${base}-${next.id}`)}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ id, label: text }) => (
          <button
            key={id}
            id={`${base}-${id}`}
            type="button"
            role="tab"
            class={id === chosen ? "tab tab-on" : "tab"}
            aria-selected={id === chosen}
            aria-controls={`${base}-panel`}
            tabIndex={id === chosen ? 0 : -1}
            onClick={() => onChoose(id)}
          >
            {text}
          </button>
        ))}
      </div>
      <div id={`${base}-panel`} role="tabpanel" aria-labelledby={`${base}-${chosen}`} class="tab-panel">
        {children}
      </div>
    </>
  );
}

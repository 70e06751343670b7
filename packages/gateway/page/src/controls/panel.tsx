import type { ComponentChildren, JSX } from "preact";

/** A part of a view with a heading. */
export function Panel(props: {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const id = `panel-${props.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
  return (
    <section class={`panel ${props.class ?? ""}`} aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>{props.title}</h2>
        {props.note === undefined ? null : <span class="muted">{props.note}</span>}
        {props.actions === undefined ? null : <div class="panel-actions">{props.actions}</div>}
      </header>
      {props.children}
    </section>
  );
}

/** The heading of a view, with its controls. */
export function ViewHead(props: {
  readonly title: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <header class="view-head">
      <div class="view-title">
        <h1 tabIndex={-1}>{props.title}</h1>
        {props.note === undefined ? null : <p class="muted">{props.note}</p>}
      </div>
      {props.children === undefined ? null : <div class="view-controls">{props.children}</div>}
    </header>
  );
}

/** Says that something is being read, or why it could not be. */
export function Waiting({ error }: { readonly error: string | undefined }): JSX.Element {
  if (error !== undefined) return <Notice tone="bad">{error}</Notice>;
  return (
    <p class="waiting" role="status">
      Loading …
    </p>
  );
}

/** A sentence that should be seen. */
export function Notice(props: {
  readonly tone: "good" | "bad" | "plain";
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class={`notice notice-${props.tone}`} role={props.tone === "bad" ? "alert" : "status"}>
      {props.children}
    </div>
  );
}

import type { JSX } from "preact";
import { Link } from "../location/link.tsx";

/** One row of a list of bars. */
export interface Bar {
  readonly key: string;
  readonly href: string;
  readonly label: string;
  readonly detail: string;
  readonly value: number;
  readonly text: string;
  readonly note?: string | undefined;
}

/** A ranking: names, figures, and bars that compare them. */
export function BarList(props: {
  readonly bars: readonly Bar[];
  readonly tone: "calls" | "failures";
  readonly empty: string;
}): JSX.Element {
  const { bars, tone, empty } = props;
  if (bars.length === 0) return <p class="empty">{empty}</p>;
  const most = Math.max(...bars.map(({ value }) => value));
  return (
    <ol class={`bars bars-${tone}`}>
      {bars.map((bar) => (
        <li key={bar.key}>
          <Link href={bar.href} class="bar-row">
            <span class="bar-name">
              <b>{bar.label}</b> <span class="muted">{bar.detail}</span>
            </span>
            <span class="bar-figure">
              {bar.text} {bar.note === undefined ? null : <span class="muted">{bar.note}</span>}
            </span>
            <span class="bar-track" aria-hidden="true">
              <span class="bar-fill" style={{ width: `${Math.max(1, (bar.value / most) * 100)}%` }} />
            </span>
          </Link>
        </li>
      ))}
    </ol>
  );
}

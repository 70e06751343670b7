import type { JSX } from "preact";
import { formatFullTime } from "../format/times.ts";
import { setQuery, type PageLocation } from "../location/location.ts";
import { SPANS } from "../location/range.ts";
import { Segments } from "./segments.tsx";

/** Chooses the time span of a view. A span that was dragged on a chart can be left again. */
export function RangePicker({ location }: { readonly location: PageLocation }): JSX.Element {
  const from = location.query.get("from");
  const to = location.query.get("to");
  const isChosen = from !== null && to !== null;
  const last = isChosen ? "" : (location.query.get("last") ?? "24h");
  return (
    <div class="range">
      {isChosen ? (
        <button
          type="button"
          class="button button-quiet"
          onClick={() => setQuery({ from: undefined, to: undefined })}
          title={`${formatFullTime(Number(from))} – ${formatFullTime(Number(to))}`}
        >
          Leave the chosen time ×
        </button>
      ) : null}
      <Segments
        legend="Time span"
        group="span"
        segments={SPANS.map(({ id, label, name }) => ({ id, label, name: `The last ${name}` }))}
        chosen={SPANS.find(({ id }) => id === last)?.id}
        onChoose={(id) => setQuery({ last: id === "24h" ? undefined : id, from: undefined, to: undefined })}
      />
    </div>
  );
}

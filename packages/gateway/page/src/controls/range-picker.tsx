import type { JSX } from "preact";
import { formatFullTime } from "../format/times.ts";
import { setQuery } from "../location/location.ts";
import { chosenTime, lastOf, SPANS, type RangeLocation } from "../location/range.ts";
import { Segments } from "./segments.tsx";

/** Chooses the time span of a view. A span that was dragged on a chart can be left again. */
export function RangePicker({ location }: { readonly location: RangeLocation }): JSX.Element {
  const time = chosenTime(location);
  const last = time === undefined ? lastOf(location) : undefined;
  return (
    <div class="range">
      {time === undefined ? null : (
        <button
          type="button"
          class="button button-quiet"
          onClick={() => setQuery({ from: undefined, to: undefined })}
          title={`${formatFullTime(Number(time.from))} – ${formatFullTime(Number(time.to))}`}
        >
          Leave the chosen time ×
        </button>
      )}
      <Segments
        legend="Time span"
        group="span"
        segments={SPANS.map(({ id, label, name }) => ({ id, label, name: `The last ${name}` }))}
        chosen={SPANS.find(({ id }) => id === last)?.id}
        onChoose={(id) => setQuery({ last: id, from: undefined, to: undefined })}
      />
    </div>
  );
}

import type { JSX } from "preact";
import { Link } from "../location/link.tsx";

/** The way back to the choice of what to add. */
export function AddCrumbs(): JSX.Element {
  return (
    <p class="crumbs">
      <Link href="/add">Add</Link>
    </p>
  );
}

import type { JSX } from "preact";

/** The mark of the project: two ends and the wire between them. */
export function BrandMark({ class: name }: { readonly class?: string }): JSX.Element {
  return (
    <svg class={name} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" class="brand-ground" />
      <path d="M8 11h5c6 0 0 10 6 10h5" class="brand-wire" />
      <circle cx="8" cy="11" r="3" class="brand-end" />
      <circle cx="24" cy="21" r="3" class="brand-end" />
    </svg>
  );
}

/**
 * Colours as the style sheet has them at present, for what is drawn on a canvas. The browser works them out: they depend on
 * the look that was chosen.
 */
export function readColor(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}

/** The same colour, and partly transparent. */
export function fade(color: string, alpha: number): string {
  return `color-mix(in srgb, ${color} ${Math.round(alpha * 100)}%, transparent)`;
}

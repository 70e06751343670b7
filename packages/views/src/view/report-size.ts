import type { ContainerDimensions } from "../model/context.ts";

/** Calls `tell` with the size of the document, now and whenever it changes. Returns what ends that. */
export function reportSize(tell: (size: { readonly width: number; readonly height: number }) => void): () => void {
  const root = document.documentElement;
  let last = "";
  const observer = new ResizeObserver(() => {
    const { width, height } = root.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    const text = `${size.width} ${size.height}`;
    if (text === last) return;
    last = text;
    tell(size);
  });
  observer.observe(root);
  return () => observer.disconnect();
}

/** Fills a container of a fixed size, and keeps to the limits of one that grows ("Container Dimensions"). */
export function fitContainer({ height, maxHeight, width, maxWidth }: ContainerDimensions): void {
  const { style } = document.documentElement;
  style.height = height === undefined ? "" : "100vh";
  style.maxHeight = height === undefined && maxHeight !== undefined ? `${maxHeight}px` : "";
  style.width = width === undefined ? "" : "100vw";
  style.maxWidth = width === undefined && maxWidth !== undefined ? `${maxWidth}px` : "";
}

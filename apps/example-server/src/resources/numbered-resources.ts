import { resource, type Suggestions } from "@toolwire/server";

/** The two kinds of resources of which there is one for each number. */
export const RESOURCE_TYPES = ["Text", "Blob"] as const;
/** One of them. */
export type ResourceType = (typeof RESOURCE_TYPES)[number];

/** A numbered resource with what is in it. */
export type NumberedResource = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: Uint8Array }
);

/** Makes up the resource of a number. */
export function numberedResource(type: ResourceType, number: number): NumberedResource {
  return type === "Text"
    ? { uri: `demo://resource/dynamic/text/${number}`, mimeType: "text/plain", text: `Resource ${number}: plain text.` }
    : {
        uri: `demo://resource/dynamic/blob/${number}`,
        mimeType: "application/octet-stream",
        blob: new TextEncoder().encode(`Resource ${number}: bytes.`),
      };
}

export const textResource = resource({
  template: "demo://resource/dynamic/text/{resourceId}",
  title: "Numbered text",
  description: "A line of text, made up from the number that is asked for.",
  mimeType: "text/plain",
  complete: { resourceId: suggestNumbers },
  read: ({ resourceId }) => readNumbered("Text", resourceId),
});

export const blobResource = resource({
  template: "demo://resource/dynamic/blob/{resourceId}",
  title: "Numbered bytes",
  description: "Some bytes, made up from the number that is asked for.",
  mimeType: "application/octet-stream",
  complete: { resourceId: suggestNumbers },
  read: ({ resourceId }) => readNumbered("Blob", resourceId),
});

/** Suggests numbers that begin with what is typed already. */
export function suggestNumbers(typed: string): Suggestions {
  if (typed === "") return { values: ["1", "2", "3"], hasMore: true };
  return isNumber(typed) ? { values: [typed, `${typed}0`, `${typed}1`], hasMore: true } : { values: [] };
}

/** Numbers from 1 on, without signs, fractions and leading zeros. */
export function isNumber(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

/** `undefined` says that there is no such resource. */
function readNumbered(type: ResourceType, number: string): NumberedResource | undefined {
  return isNumber(number) ? numberedResource(type, Number(number)) : undefined;
}

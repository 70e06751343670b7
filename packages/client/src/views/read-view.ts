import { readViewMeta, VIEW_MIME_TYPE, type ViewMeta } from "@toolwire/protocol/views";
import { ProtocolViolation } from "@toolwire/protocol";
import { isObject } from "@toolwire/protocol/internal";

/** A view, after checks. Its document is untrusted: show it in a sandbox only, such as `mountView()` of `@toolwire/views/host`. */
export interface View {
  readonly uri: string;
  readonly html: string;
  /** What it declares, without what is malformed. It may reach nothing else. */
  readonly meta: ViewMeta;
  /** Origins that it declares and does not get, because no content policy should contain them. */
  readonly refused: readonly string[];
}

/** Reads the answer to `resources/read`. Throws unless it has one HTML document under the URI that was asked for. */
export function readView(uri: string, result: object, maxSize: number): View {
  const contents: unknown = (result as { readonly contents?: unknown }).contents;
  const found: unknown = Array.isArray(contents)
    ? contents.find((each: unknown) => isObject(each) && each["uri"] === uri)
    : undefined;
  if (!isObject(found)) throw violation(uri, "the answer has no contents of that URI");
  const { mimeType, text, blob } = found;
  if (mimeType !== VIEW_MIME_TYPE) {
    throw violation(uri, `its type is ${JSON.stringify(mimeType)?.slice(0, 100)}, not ${VIEW_MIME_TYPE}`);
  }
  const given = typeof text === "string" ? text : blob;
  if (typeof given !== "string") throw violation(uri, "it has neither `text` nor `blob`");
  if (given.length > maxSize) throw violation(uri, `it has ${given.length} characters, more than ${maxSize}`);
  const { meta, refused } = readViewMeta(found["_meta"]);
  return { uri, html: typeof text === "string" ? text : decode(uri, given), meta, refused };
}

function decode(uri: string, blob: string): string {
  try {
    const bytes = Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw violation(uri, "its `blob` is no text in base64");
  }
}

function violation(uri: string, problem: string): ProtocolViolation {
  return new ProtocolViolation("INVALID_RESULT", `The view ${uri} cannot be shown: ${problem}.`);
}

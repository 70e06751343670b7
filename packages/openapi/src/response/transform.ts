/** From the response of an API to the result of a tool: select, shorten, make a block. */
import { audio, type CallToolResult, type ContentBlock, embeddedResource, image, ToolError } from "@toolwire/server";
import { type Clearing, createClearing, isObject, LEFT_OUT } from "@toolwire/protocol/internal";
import type { HttpResponse } from "../caller/http-caller.ts";
import { readBody, type ResponseBody } from "./body-text.ts";
import { describeFailure } from "./error-text.ts";
import { pickFields, readFields } from "./fields.ts";
import { readJson, writeJson } from "./json.ts";
import type { CheckedResponseOptions } from "./options.ts";
import { compileSelect, type Select } from "./select.ts";
import { shortenText } from "./truncate.ts";

/** A response as a result. */
export interface TransformedResponse {
  readonly result: CallToolResult;
  /** Whether parts of the response were left out, because it was too long. */
  readonly isTruncated: boolean;
}

/**
 * Makes results of responses. The secrets are those of the request: results and errors are cleared of them, but for those that the
 * caller has sent, in the arguments or in `known`.
 */
export type TransformResponse = (
  response: HttpResponse,
  args: object,
  secrets: readonly string[] | undefined,
  known?: unknown,
) => TransformedResponse;

/**
 * Compiles options of responses.
 *
 * @throws UsageError if `select` is no valid expression
 */
export function compileTransform(options: CheckedResponseOptions): TransformResponse {
  const { maxText, fields, output } = options;
  const select = options.select === undefined ? undefined : compileSelect(options.select);
  return (response, args, secrets, known) => {
    const { status } = response;
    const clearing = createClearing(secrets, args, known);
    if (status < 200 || status >= 300) throw new ToolError(describeFailure(response, clearing));
    const body = clearBody(readBody(response), clearing);
    if (body.kind === "empty") return plainResult(JSON.stringify({ status }));
    if (body.kind === "binary") return describeBinary(response, body.mimeType, options.as, clearing);
    const chosen = fields ? readFields(args) : undefined;
    const text = select === undefined && chosen === undefined ? body.text : reshape(body, select, chosen);
    const isJson = body.isJson || text !== body.text;
    // What is escaped in JSON may be encoded in itself.
    const structured = output && isJson ? clearing.value(readStructured(text)) : undefined;
    if (text.length <= maxText) return plainResult(text, structured);
    const { text: shorter, note } = shortenText(text, maxText, isJson);
    const content: ContentBlock[] = [
      { type: "text", text: shorter },
      { type: "text", text: note },
    ];
    return { result: withStructured({ content }, structured), isTruncated: true };
  };
}

/** Cleared before anything is selected or left out: a part of a secret could not be told from other text. */
function clearBody(body: ResponseBody, clearing: Clearing): ResponseBody {
  return body.kind === "text" ? { ...body, text: clearing.text(body.text) } : body;
}

function plainResult(text: string, structured?: object): TransformedResponse {
  return { result: withStructured({ content: [{ type: "text", text }] }, structured), isTruncated: false };
}

function withStructured(result: CallToolResult, structured: object | undefined): CallToolResult {
  return structured === undefined ? result : { ...result, structuredContent: structured };
}

/** The selected parts, as compact JSON. */
function reshape(
  { text, isJson }: ResponseBody & { kind: "text" },
  select: Select | undefined,
  fields: ReturnType<typeof readFields>,
): string {
  let value: unknown;
  try {
    value = readJson(text);
  } catch {
    // The model's choice of members is a wish, and the author's selection is a rule.
    if (select === undefined && !isJson) return text;
    throw new ToolError("Error: Upstream API response is not JSON, so that no part of it can be selected");
  }
  try {
    if (select !== undefined) value = select(value);
    return writeJson(fields === undefined ? value : pickFields(value, fields));
  } catch {
    throw new ToolError("Error: Upstream API response does not have the form from which parts can be selected");
  }
}

/** Structured content is an object in all revisions but the newest. */
function readStructured(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function describeBinary(
  { body }: HttpResponse,
  mimeType: string,
  as: "text" | "auto",
  clearing: Clearing,
): TransformedResponse {
  const type = clearing.text(mimeType);
  if (as === "text") return plainResult(JSON.stringify({ mimeType: type, bytes: body.length }));
  if (clearing.holds(body)) return plainResult(LEFT_OUT);
  return { result: { content: [binaryBlock(body, type)] }, isTruncated: false };
}

function binaryBlock(bytes: Uint8Array, mimeType: string): ContentBlock {
  if (mimeType.startsWith("image/")) return image(bytes, mimeType);
  if (mimeType.startsWith("audio/")) return audio(bytes, mimeType);
  return embeddedResource({ uri: "attachment:response", mimeType, blob: bytes });
}

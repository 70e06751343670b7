/** Translates elicitation and sampling, which servers ask of clients, into older revisions. */

import { UsageError } from "../errors.ts";
import type { SamplingContentBlock, TextContent } from "../model/content.ts";
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitParams,
  ElicitResult,
  FormField,
  FormValue,
  SamplingMessage,
} from "../model/input.ts";
import { allowsContent, hasFeature, unsupported } from "../revisions/features.ts";
import { eraOf, type Revision } from "../revisions/revision.ts";
import { chain, each, knownFields, member, omit, type Rewrite, values } from "./rewrite.ts";
import { annotationsRewrite, audioToText, structureRewrite, toolRewrite } from "./server-features.ts";

/** Translates a question to the user. Throws a `UsageError` if the revision cannot express it. */
export function elicitParamsRewrite(revision: Revision): Rewrite<ElicitParams> {
  const form = hasFeature(revision, "richForms") ? undefined : simpleForm(revision);
  return chain<ElicitParams>(
    (params) => {
      const isUrl = params.mode === "url";
      if (!hasFeature(revision, isUrl ? "urlElicitation" : "elicitation")) {
        throw unsupported(revision, isUrl ? "send the user to a page" : "ask the user");
      }
      if (isUrl && revision === "2025-11-25" && params.elicitationId === undefined) {
        throw new UsageError("INVALID_ARGUMENT", 'In 2025-11-25, `mode: "url"` takes an unused `elicitationId`.');
      }
      return isUrl || form === undefined ? params : form(params);
    },
    knownFields(revision, "elicitParams"),
  );
}

/** Translates the user's answer. */
export function elicitResultRewrite(revision: Revision): Rewrite<ElicitResult> {
  if (hasFeature(revision, "richForms")) return undefined;
  return member(
    "content",
    values<FormValue>((value) => (typeof value === "object" ? value.join(", ") : value)),
  );
}

/**
 * Undoes what {@link elicitParamsRewrite} did to a form: where several choices had to be asked for as a line of text,
 * the text becomes the list of choices again. Pass the form as it was before. Choices with a comma in their name come
 * back in pieces, so check the answer as you would check any.
 */
export function restoreElicitResult(revision: Revision, params: ElicitParams, result: ElicitResult): ElicitResult {
  const { content } = result;
  if (hasFeature(revision, "richForms") || params.mode === "url" || content === undefined) return result;
  const { properties } = params.requestedSchema;
  const entries = Object.entries(content).map(([name, value]): [string, FormValue] => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, field?.type === "array" && typeof value === "string" ? splitChoices(field, value) : value];
  });
  return { ...result, content: Object.fromEntries(entries) };
}

type MultiSelectField = Extract<FormField, { type: "array" }>;

function splitChoices(field: MultiSelectField, text: string): string[] {
  const choices = choicesOf(field);
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => choices.find(({ title }) => title === part)?.const ?? part);
}

function choicesOf({ items }: MultiSelectField): readonly { const: string; title: string }[] {
  return "anyOf" in items ? items.anyOf : items.enum.map((value) => ({ const: value, title: value }));
}

/** Forms of 2025-06-18 have defaults for booleans only, one notation for choices, and no multiple choice. */
function simpleForm(revision: Revision): (params: ElicitFormParams) => ElicitFormParams {
  const schema = chain<ElicitFormParams["requestedSchema"]>(
    knownFields(revision, "formSchema"),
    member("properties", values(simpleField)),
  );
  return member<ElicitFormParams, "requestedSchema">("requestedSchema", schema) ?? ((params) => params);
}

function simpleField(field: FormField): FormField {
  if (field.type === "boolean") return field;
  if (field.type === "array") {
    const { title, description = "Any of these" } = field;
    const names = choicesOf(field).map((choice) => choice.title);
    return { type: "string", title, description: `${description} (separated by commas: ${names.join(", ")})` };
  }
  const plain = omit(field, ["default"]);
  if (!("oneOf" in plain)) return plain;
  const { oneOf, ...rest } = plain;
  return { ...rest, enum: oneOf.map((choice) => choice.const), enumNames: oneOf.map((choice) => choice.title) };
}

type Content = SamplingMessage["content"];

/** Translates a request to the model. Throws a `UsageError` if it requires tools and the revision has none. */
export function createMessageParamsRewrite(revision: Revision): Rewrite<CreateMessageParams> {
  if (eraOf(revision) === "modern") return undefined;
  if (!hasFeature(revision, "samplingTools")) {
    return chain<CreateMessageParams>(
      (params) => {
        if (params.toolChoice?.mode === "required") throw unsupported(revision, "have its model use tools");
        return params;
      },
      knownFields(revision, "createMessageParams"),
      member("messages", (messages) => messages.flatMap(singleBlocks(revision))),
    );
  }
  return chain<CreateMessageParams>(
    member("tools", each(toolRewrite(revision))),
    member("messages", each(member<SamplingMessage, "content">("content", objectsOnly))),
  );
}

/** Translates the model's message. */
export function createMessageResultRewrite(revision: Revision): Rewrite<CreateMessageResult> {
  if (eraOf(revision) === "modern") return undefined;
  if (hasFeature(revision, "samplingTools")) return member("content", objectsOnly);
  const block = blockRewrite(revision);
  return member("content", (content) => {
    const blocks = toArray(content);
    const [first] = blocks;
    if (blocks.length === 1 && first !== undefined) return block(first);
    // Only one block is allowed, so several become one text.
    const told: TextContent = { type: "text", text: blocks.map((item) => inWords(block(item))).join("\n") };
    return told;
  });
}

/** Splits a message into messages of one block each. */
function singleBlocks(revision: Revision): (message: SamplingMessage) => SamplingMessage[] {
  const block = blockRewrite(revision);
  return ({ role, content }) => toArray(content).map((item) => ({ role, content: block(item) }));
}

function blockRewrite(revision: Revision): (block: SamplingContentBlock) => SamplingContentBlock {
  const tidy: Rewrite<Exclude<SamplingContentBlock, { type: "tool_use" | "tool_result" }>> = chain(
    knownFields(revision, "content"),
    annotationsRewrite(revision),
  );
  const hasAudio = allowsContent(revision, "audio", "sampling");
  return (block) => {
    if (block.type === "tool_use" || block.type === "tool_result") return { type: "text", text: inWords(block) };
    const allowed = block.type === "audio" && !hasAudio ? audioToText(block) : block;
    return tidy === undefined ? allowed : tidy(allowed);
  };
}

/** Structured content in a tool's result has to be an object before 2026-07-28. */
function objectsOnly(content: Content): Content {
  const rewrite = (block: SamplingContentBlock): SamplingContentBlock =>
    block.type === "tool_result" ? objectStructure(block) : block;
  return isArray(content) ? each(rewrite)(content) : rewrite(content);
}

const objectStructure = /* @__PURE__ */ structureRewrite<Extract<SamplingContentBlock, { type: "tool_result" }>>(true);

/** A text in place of a block that the revision does not have. */
function inWords(block: SamplingContentBlock): string {
  if (block.type === "text") return block.text;
  return "mimeType" in block ? `[${block.mimeType} ${block.type}]` : JSON.stringify(block);
}

function toArray(content: Content): readonly SamplingContentBlock[] {
  return isArray(content) ? content : [content];
}

function isArray(content: Content): content is readonly SamplingContentBlock[] {
  return Array.isArray(content);
}

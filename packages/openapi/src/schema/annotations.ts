/** The parts of a schema that OpenAPI writes in its own way: descriptions, discriminators, null. */
import { type JsonMembers, textOf } from "../document/json-value.ts";
import type { OpenApiVersion } from "../document/model.ts";
import { cleanLine } from "./describe.ts";
import { describeDiscriminator } from "./mend.ts";
import type { Texts } from "./texts.ts";
import type { Draft } from "./types.ts";

/** Whether a schema allows null by the keywords of OpenAPI. Version 2.0 has only the extension. */
export function isNullable(value: JsonMembers, version: OpenApiVersion): boolean {
  if (value["nullable"] === true && version !== "2.0") return true;
  return value["x-nullable"] === true;
}

/** Adds what a schema says about itself in words. */
export function describeSchema(draft: Draft, value: JsonMembers, texts: Texts): Draft {
  const parts = [textOf(value["description"]), describeDiscriminator(value["discriminator"])];
  const description = parts.filter((text) => text !== undefined).join("\n");
  const described = description === "" ? undefined : texts.ofSchema(description);
  if (described !== undefined && described !== "") draft["description"] = described;
  const title = textOf(value["title"]);
  if (draft["description"] === undefined && title !== undefined) draft["title"] = cleanLine(title, 100);
  if (value["deprecated"] === true) draft["deprecated"] = true;
  return draft;
}

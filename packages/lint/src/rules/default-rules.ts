import type { Rule } from "../rule.ts";
import { tokenBudget, toolCount } from "./budget.ts";
import { annotationsContradict, argumentDescription, descriptionLong, descriptionMissing } from "./descriptions.ts";
import { keyword, reference, referenceNowhere, requiredUnknown } from "./keywords.ts";
import { nameClash, nameLookAlike, toolName, toolNameWithServer } from "./names.ts";
import { hiddenText, instructionsToModel } from "./poison.ts";
import { argumentName, rootObject, rootProperties, rootUnion } from "./root.ts";
import { enumLength, schemaCounts, schemaDepth, schemaSize, schemaUnreadable, strictObjects } from "./size.ts";
import { arrayItems, enumType, format, typeList, typeMissing } from "./types.ts";

/** Rules about schemas that some API refuses. */
export const schemaRules: readonly Rule[] = [
  rootObject,
  rootUnion,
  rootProperties,
  argumentName,
  typeList,
  typeMissing,
  enumType,
  arrayItems,
  format,
  keyword,
  reference,
  referenceNowhere,
  requiredUnknown,
  schemaUnreadable,
  schemaDepth,
  schemaSize,
  schemaCounts,
  enumLength,
  strictObjects,
];

/** Rules about names: what is refused, too long, taken, or looks like another one. */
export const nameRules: readonly Rule[] = [toolName, toolNameWithServer, nameClash, nameLookAlike];

/** Rules about texts that deceive. */
export const poisonRules: readonly Rule[] = [hiddenText, instructionsToModel];

/** Rules about descriptions that are missing, too long or contradict each other. */
export const descriptionRules: readonly Rule[] = [
  descriptionMissing,
  descriptionLong,
  argumentDescription,
  annotationsContradict,
];

/** Rules about what the whole list costs. */
export const budgetRules: readonly Rule[] = [tokenBudget, toolCount];

/** All rules of this package. */
export const defaultRules: readonly Rule[] = [
  ...poisonRules,
  ...nameRules,
  ...schemaRules,
  ...descriptionRules,
  ...budgetRules,
];

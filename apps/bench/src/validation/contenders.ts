import { jsonSchemaValidator } from "@toolwire/json-schema";
import { createAjvValidator } from "@toolwire/json-schema/ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Shape } from "./shapes.ts";

/** Makes a check of a schema that says whether a value fits. */
export type Contender = (schema: Shape["schema"]) => (value: unknown) => boolean;

/** How many values the tiered contender interprets before it compiles. */
const COMPILE_AFTER = 1_000;

const interpreter: Contender = (schema) => {
  const validate = jsonSchemaValidator.compile({ ...schema });
  return (value) => validate(value).ok;
};

/** ajv where it agrees with the interpreter, as an author of a server can choose it. */
const ajvValidator: Contender = (schema) => {
  const validate = createAjvValidator().compile({ ...schema });
  return (value) => validate(value).ok;
};

/** Interprets the first values, and compiles a schema that has proved busy. */
const tiered: Contender = (schema) => {
  const first = interpreter(schema);
  let later: ((value: unknown) => boolean) | undefined;
  let checks = 0;
  return (value) => {
    if (later !== undefined) return later(value);
    if (++checks > COMPILE_AFTER) later = ajvValidator(schema);
    return first(value);
  };
};

/** ajv as its documentation sets it up: no bound on work, no agreement to keep, other words for what is wrong. */
const ajvAlone: Contender = (schema) => {
  const ajv = new Ajv2020();
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => validate(value);
};

/** All that is measured. The first is what the others are compared with. */
export const CONTENDERS: ReadonlyMap<string, Contender> = new Map([
  ["interpreter", interpreter],
  ["tiered", tiered],
  ["ajv validator", ajvValidator],
  ["ajv alone", ajvAlone],
]);

/** The least that a transport does with a value, for scale. */
export const JSON_ROUND_TRIP: Contender = () => (value) => JSON.parse(JSON.stringify(value)) !== undefined;

import { expect, test } from "vitest";
import { writeFormRequest } from "../../src/input/form.ts";

const message = "Who are you?";

test("a form says of each field what forms know, and keeps the rest to itself", () => {
  const { requestedSchema } = writeFormRequest({
    message,
    schema: {
      type: "object",
      properties: {
        mail: { type: "string", format: "email", pattern: "@example\\.com$", title: "Mail" },
        id: { type: "string", format: "uuid", minLength: 36 },
        age: { type: "integer", minimum: 0, multipleOf: 1 },
      },
      required: ["mail"],
    },
  });
  expect(requestedSchema).toStrictEqual({
    type: "object",
    properties: {
      mail: { type: "string", format: "email", title: "Mail" },
      id: { type: "string", minLength: 36 },
      age: { type: "integer", minimum: 0 },
    },
    required: ["mail"],
  });
});

test("a form in which nothing is required does not say so", () => {
  const { requestedSchema } = writeFormRequest({ message, schema: { type: "object", properties: {}, required: [] } });
  expect(requestedSchema).toStrictEqual({ type: "object", properties: {} });
});

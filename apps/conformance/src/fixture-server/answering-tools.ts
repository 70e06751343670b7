import { setTimeout as delay } from "node:timers/promises";
import { audio, embeddedResource, image, text, tool, ToolError, type ToolDefinition } from "@toolwire/server";
import { z } from "zod";
import { PIXEL, silence } from "./samples.ts";

/** Tools that answer with one kind of content each. */
export const contentTools = {
  test_simple_text: tool({
    description: "Answers with text",
    run: () => "This is a simple text response for testing.",
  }),
  test_image_content: tool({
    description: "Answers with a picture",
    run: () => image(PIXEL, "image/png"),
  }),
  test_audio_content: tool({
    description: "Answers with a sound",
    run: () => audio(silence(), "audio/wav"),
  }),
  test_embedded_resource: tool({
    description: "Answers with a resource and its contents",
    run: () => embeddedResource({ uri: "test://embedded", mimeType: "text/plain", text: "An embedded resource." }),
  }),
  test_multiple_content_types: tool({
    description: "Answers with text, a picture and a resource",
    run: () => [
      text("Several kinds of content:"),
      image(PIXEL, "image/png"),
      embeddedResource({ uri: "test://mixed", mimeType: "application/json", text: '{"mixed":true}' }),
    ],
  }),
  test_error_handling: tool({
    description: "Fails in a way that the model can read",
    run() {
      throw new ToolError("This tool always fails.");
    },
  }),
} as const satisfies { [name: string]: ToolDefinition };

/** Tools that send something before they answer. */
export const reportingTools = {
  test_tool_with_progress: tool({
    description: "Reports its progress three times",
    async run(_args, ctx) {
      for (const done of [0, 50, 100]) {
        ctx.progress(done, 100);
        await delay(20);
      }
      return "Done, in three steps.";
    },
  }),
  test_tool_with_logging: tool({
    description: "Writes three log messages",
    async run(_args, ctx) {
      for (const step of ["started", "half way", "finished"]) {
        ctx.log("info", step, "test");
        await delay(20);
      }
      return "Logged three times.";
    },
  }),
  test_logging_tool: tool({
    description: "Writes a log message, for clients that ask for them",
    run(_args, ctx) {
      ctx.log("info", "called");
      return "Logged once.";
    },
  }),
  test_reconnection: tool({
    description: "Closes the stream it is to answer on, and answers when the client is back",
    async run(_args, ctx) {
      ctx.suspendStream(100);
      await delay(200);
      return "Answered after the client came back.";
    },
  }),
} as const satisfies { [name: string]: ToolDefinition };

/** Tools whose input schemas matter. */
export const schemaTools = {
  json_schema_2020_12_tool: tool({
    description: "Has an input schema full of JSON Schema 2020-12",
    input: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable -- A keyword of JSON Schema.
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: () => "The arguments fit the schema.",
  }),
  test_header_parameter: tool({
    description: "Has an argument that clients repeat in a header",
    input: z.object({ region: z.string().optional().meta({ "x-mcp-header": "Region" }) }),
    run: ({ region = "none" }) => `Region: ${region}`,
  }),
} as const satisfies { [name: string]: ToolDefinition };

import {
  type CallToolResult,
  type JsonSchema,
  ProtocolViolation,
  type SchemaValidator,
  type Tool,
} from "@toolwire/protocol";
import { describeIssues, untrustedSchemaValidator } from "@toolwire/json-schema";

/** A result that breaks the output schema of its tool. */
interface OutputProblem {
  readonly violation: ProtocolViolation;
  /** Whether the check took too many steps, so that it must not be repeated. */
  readonly isFinal: boolean;
}

/** The way to use a tool until its server is corrected. */
const WAY_OUT = "To believe the server all the same: callTool(name, args, { validate: false }).";

/** Finds the problem of a result, if it has one. `clear` removes credentials from what is quoted of the result. */
export type OutputCheck = (result: CallToolResult, clear: (text: string) => string) => OutputProblem | undefined;

/**
 * Makes the check of a tool's results against its output schema. It is made before the tool is called, so that a schema that
 * cannot be used is refused while nothing has happened yet. Schemas come from servers, so by default they are untrusted.
 */
export function prepareCheck(tool: Tool, validator: SchemaValidator = untrustedSchemaValidator): OutputCheck {
  const { name, outputSchema } = tool;
  try {
    const validate = validator.compile(outputSchema as JsonSchema);
    return ({ isError, structuredContent, content }, clear) => {
      // The result of a failed tool need not fit the schema.
      if (isError === true) return undefined;
      if (structuredContent === undefined) {
        // Quotes the content, cut to length: it often has the message of a failure that lacks `isError`.
        const words = clear(JSON.stringify(content)).slice(0, 300);
        return mismatch(name, `- structuredContent: missing beside content ${words}`);
      }
      const validation = validate(structuredContent);
      if (validation.ok) return undefined;
      const issues = validation.issues.map((issue) => ({ ...issue, path: placeInResult(issue.path) }));
      const isFinal = issues.some(({ kind }) => kind === "too-complex");
      return mismatch(name, clear(describeIssues(issues)), isFinal);
    };
  } catch (cause) {
    throw new ProtocolViolation(
      "INVALID_RESULT",
      `The output schema of the tool "${name}" cannot be used: ${(cause as Error).message}\n${WAY_OUT}`,
      { cause },
    );
  }
}

function placeInResult(path: string): string {
  if (path === "") return "structuredContent";
  return path.startsWith("[") ? `structuredContent${path}` : `structuredContent.${path}`;
}

function mismatch(name: string, issues: string, isFinal = false): OutputProblem {
  const message = `The tool "${name}" returned what its output schema does not allow:\n${issues}\n${WAY_OUT}`;
  return { violation: new ProtocolViolation("INVALID_RESULT", message), isFinal };
}

import {
  type CallToolResult,
  type JsonSchema,
  ProtocolViolation,
  type SchemaValidator,
  type Tool,
} from "@toolwire/protocol";
import { describeIssues } from "@toolwire/protocol/schema";

/** What is wrong with a result. */
interface OutputProblem {
  readonly violation: ProtocolViolation;
  /** Whether it was too much work to find out, which is not to be done again. */
  readonly isFinal: boolean;
}

/** What whoever needs the tool can do until its server is mended. */
const WAY_OUT = "To believe the server all the same: callTool(name, args, { validate: false }).";

/** Says what is wrong with a result, if anything. */
export type OutputCheck = (result: CallToolResult) => OutputProblem | undefined;

/**
 * Makes the check of what a tool returns against the schema it promised it by. Done before the tool is called: a schema
 * that cannot be used is better found out while nothing has happened yet.
 */
export async function prepareCheck(tool: Tool, validator: SchemaValidator | undefined): Promise<OutputCheck> {
  const { name, outputSchema } = tool;
  const compiler = validator ?? (await loadValidator());
  try {
    const validate = compiler.compile(outputSchema as JsonSchema);
    return ({ isError, structuredContent, content }) => {
      // A tool that failed owes nothing to its schema.
      if (isError === true) return undefined;
      if (structuredContent === undefined) {
        // Tools that fail often say why, and forget to say that they did. Untrusted words: quoted, and cut.
        const words = JSON.stringify(content).slice(0, 300);
        return mismatch(name, `- structuredContent: missing beside content ${words}`);
      }
      const validation = validate(structuredContent);
      if (validation.ok) return undefined;
      const issues = validation.issues.map((issue) => ({ ...issue, path: placeInResult(issue.path) }));
      const isFinal = issues.some(({ kind }) => kind === "too-complex");
      return mismatch(name, describeIssues(issues), isFinal);
    };
  } catch (cause) {
    throw new ProtocolViolation(
      "INVALID_RESULT",
      `The output schema of the tool "${name}" cannot be used: ${(cause as Error).message}\n${WAY_OUT}`,
      { cause },
    );
  }
}

/** The schemas come from servers, so they are untrusted: bounded, never fetched, and without patterns that can hang. */
async function loadValidator(): Promise<SchemaValidator> {
  const { untrustedSchemaValidator } = await import("@toolwire/protocol/json-schema/untrusted");
  return untrustedSchemaValidator;
}

function placeInResult(path: string): string {
  if (path === "") return "structuredContent";
  return path.startsWith("[") ? `structuredContent${path}` : `structuredContent.${path}`;
}

function mismatch(name: string, issues: string, isFinal = false): OutputProblem {
  const message = `The tool "${name}" returned what its output schema does not allow:\n${issues}\n${WAY_OUT}`;
  return { violation: new ProtocolViolation("INVALID_RESULT", message), isFinal };
}

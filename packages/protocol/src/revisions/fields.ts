import {
  covers,
  LEGACY,
  SINCE_2025_03,
  SINCE_2025_06,
  SINCE_2025_11,
  SINCE_2026_07,
  type Lifespan,
} from "./lifespan.ts";
import type { Revision } from "./revision.ts";
import { omit, type Rewrite } from "./rewrite.ts";

/** Something of the model whose members differ between revisions. */
export type Thing =
  | "result"
  | "tool"
  | "listed"
  | "promptArgument"
  | "promptReference"
  | "completeParams"
  | "progressParams"
  | "annotations"
  | "content"
  | "resourceContents"
  | "root"
  | "createMessageParams"
  | "elicitParams"
  | "formSchema"
  | "implementation"
  | "serverCapabilities"
  | "clientCapabilities"
  | "elicitationCapability"
  | "samplingCapability"
  | "rootsCapability";

/**
 * The members that not all revisions have; what is not listed exists everywhere. Two kinds of members are never left
 * out: capabilities that no revision describes, since the set is open in each of them, and `extensions`, which hosts
 * of 2025-11-25 read as well.
 */
const FIELDS: { readonly [T in Thing]: { readonly [field: string]: Lifespan } } = {
  result: { resultType: SINCE_2026_07, ttlMs: SINCE_2026_07, cacheScope: SINCE_2026_07 },
  tool: {
    title: SINCE_2025_06,
    outputSchema: SINCE_2025_06,
    annotations: SINCE_2025_03,
    icons: SINCE_2025_11,
    _meta: SINCE_2025_06,
  },
  /** A resource, template or prompt as it is listed. */
  listed: { title: SINCE_2025_06, icons: SINCE_2025_11, _meta: SINCE_2025_06 },
  promptArgument: { title: SINCE_2025_06 },
  promptReference: { title: SINCE_2025_06 },
  completeParams: { context: SINCE_2025_06 },
  progressParams: { message: SINCE_2025_03 },
  annotations: { lastModified: SINCE_2025_06 },
  content: { icons: SINCE_2025_11, _meta: SINCE_2025_06 },
  resourceContents: { _meta: SINCE_2025_06 },
  root: { _meta: SINCE_2025_06 },
  createMessageParams: { tools: SINCE_2025_11, toolChoice: SINCE_2025_11 },
  elicitParams: { mode: SINCE_2025_11, elicitationId: { since: "2025-11-25", until: "2025-11-25" } },
  formSchema: { $schema: SINCE_2025_11 },
  implementation: {
    title: SINCE_2025_06,
    description: SINCE_2025_11,
    websiteUrl: SINCE_2025_11,
    icons: SINCE_2025_11,
  },
  serverCapabilities: { completions: SINCE_2025_03 },
  clientCapabilities: { elicitation: SINCE_2025_06 },
  elicitationCapability: { form: SINCE_2025_11, url: SINCE_2025_11 },
  samplingCapability: { tools: SINCE_2025_11, context: SINCE_2025_11 },
  rootsCapability: { listChanged: LEGACY },
};

/** Leaves out the members that a revision does not have. */
export function knownFields<T extends object>(revision: Revision, thing: Thing): Rewrite<T> {
  const absent = Object.entries(FIELDS[thing])
    .filter(([, lifespan]) => !covers(lifespan, revision))
    .map(([field]) => field);
  return absent.length === 0 ? undefined : (value) => omit(value, absent);
}

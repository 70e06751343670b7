/** All contenders, ours first and the measure last. */
import type { Contender } from "./contender.ts";
import { contender as fastmcp } from "./fastmcp.ts";
import { contender as mcpLite } from "./mcp-lite.ts";
import { contender as raw } from "./raw.ts";
import { contender as tmcp } from "./tmcp.ts";
import { contender as toolwire } from "./toolwire.ts";
import { contender as v1 } from "./v1.ts";
import { contender as v2 } from "./v2.ts";

export const contenders: readonly Contender[] = [toolwire, v2, v1, fastmcp, mcpLite, tmcp, raw];

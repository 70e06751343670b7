/** All clients, ours first; then those of others, bare libraries for reference, and the measure. */
import type { ClientContender } from "./client.ts";
import { client as fetchClient } from "./fetch.ts";
import { client as raw } from "./raw.ts";
import { client as toolwire } from "./toolwire.ts";
import { client as undici } from "./undici.ts";
import { client as v1 } from "./v1.ts";
import { client as v2 } from "./v2.ts";

export const clients: readonly ClientContender[] = [toolwire, v2, v1, undici, fetchClient, raw];

import type { Matrix } from "../matrix/cell.ts";
import { BRIDGES } from "./bridges.ts";
import { PUBLISHED } from "./published-servers.ts";
import { LIBRARIES } from "./libraries.ts";

/** The matrices whose peers have to be fetched. */
export const FETCHED_MATRICES: readonly Matrix[] = [...LIBRARIES, BRIDGES, PUBLISHED];

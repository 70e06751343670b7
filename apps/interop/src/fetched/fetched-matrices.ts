import type { Matrix } from "../matrix/cell.ts";
import { BRIDGES } from "./bridges.ts";
import { PUBLISHED } from "./published-servers.ts";
import { LIBRARIES } from "./libraries.ts";

/** Pairs with a part that has to be fetched first. */
export const FETCHED_MATRICES: readonly Matrix[] = [...LIBRARIES, BRIDGES, PUBLISHED];

// Lets jest read the sources of this workspace. Projects that install the packages need no transform.
import { transformSync } from "esbuild";

// oxlint-disable-next-line import/no-default-export -- jest looks for it there
export default {
  /** @param {string} source */
  process: (source) => ({ code: transformSync(source, { loader: "ts", format: "esm", target: "es2022" }).code }),
};

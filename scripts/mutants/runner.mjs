import { join } from "node:path";

/** Longer than any test file takes: a mutant that hangs is noticed. */
const TEST_TIMEOUT = 4 * 60_000;

/** @typedef {import("vitest/node").Vitest} Vitest */
/** @typedef {import("vitest/node").TestRunResult} TestRunResult */

/** Runs tests of one checkout: what is read once serves for every mutant. */
export class Runner {
  /** @type {Promise<Vitest> | undefined} */
  #vitest;
  #changed = "";
  /** @readonly */
  #copy;
  /** @readonly */
  #config;

  /**
   * @param {string} copy
   * @param {string} config
   */
  constructor(copy, config) {
    this.#copy = copy;
    this.#config = config;
  }

  /**
   * The first test that fails twice: one that fails because the machine is busy has noticed nothing.
   *
   * @param {string} changed
   * @param {readonly string[]} tests
   * @returns {Promise<string | undefined>}
   */
  async findFailure(changed, tests) {
    for (const test of tests) {
      if ((await this.#run(changed, test)) === undefined) continue;
      const by = await this.#run(changed, test);
      if (by !== undefined) return `${test} > ${by}`;
    }
    return undefined;
  }

  async close() {
    await (await this.#vitest)?.close();
    this.#vitest = undefined;
  }

  /**
   * @param {string} changed
   * @param {string} test
   * @returns {Promise<string | undefined>}
   */
  async #run(changed, test) {
    const path = join(this.#copy, test);
    const vitest = await (this.#vitest ??= this.#open());
    // The file of the last mutant is what it was again.
    for (const file of [this.#changed, changed]) vitest.invalidateFile(join(this.#copy, file));
    this.#changed = changed;
    const specifications = await vitest.globTestSpecifications([test]);
    if (specifications.length === 0) return undefined;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    /** @type {Promise<undefined>} */
    const late = new Promise((resolve) => {
      timer = setTimeout(() => resolve(undefined), TEST_TIMEOUT);
    });
    /** @type {TestRunResult | undefined} */
    const outcome = await Promise.race([vitest.runTestSpecifications(specifications), late]);
    clearTimeout(timer);
    if (outcome === undefined) {
      this.#vitest = undefined;
      void vitest.close().catch(() => {});
      return "(does not end)";
    }
    // The outcome has the modules of earlier runs, too.
    const failed = outcome.testModules.find((module) => module.moduleId === path && !module.ok());
    if (failed === undefined) return outcome.unhandledErrors.length > 0 ? "(an error nobody catches)" : undefined;
    return [...failed.children.allTests("failed")][0]?.fullName ?? "(ended without a result)";
  }

  /** @returns {Promise<Vitest>} */
  async #open() {
    // The tests import the package from their own checkout, and it must be the same one.
    const { createVitest } = await import(join(this.#copy, "node_modules/vitest/dist/node.js"));
    const config = join(this.#copy, this.#config);
    return createVitest("test", { root: this.#copy, config, watch: false, maxWorkers: 1, reporters: [{}] });
  }
}

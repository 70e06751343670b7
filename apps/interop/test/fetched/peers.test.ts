import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FETCHED_MATRICES } from "../../src/fetched/fetched-matrices.ts";
import { isOfApp } from "../../src/matrix/cell.ts";
import { pinnedVersionOf } from "../../src/matrix/versions.ts";

const manifest = JSON.parse(readFileSync(new URL("../../peers/package.json", import.meta.url), "utf8")) as {
  readonly dependencies: { readonly [name: string]: string };
  readonly optionalDependencies: { readonly [name: string]: string };
};

test("the peers that are fetched are pinned to exact versions", () => {
  const versions = Object.values({ ...manifest.dependencies, ...manifest.optionalDependencies });

  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
});

test("programs are of packages that are fetched", () => {
  const programs = FETCHED_MATRICES.flatMap(({ rows }) =>
    rows.flatMap(({ cells }) => cells.flatMap(({ server, bridge }) => [server.program, bridge?.program])),
  );
  const packages = programs.flatMap((program) => (program === undefined || isOfApp(program) ? [] : [program.package]));

  expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining(packages));
  expect(() => pinnedVersionOf("no-such-package")).toThrow("no-such-package is not among the dependencies");
});

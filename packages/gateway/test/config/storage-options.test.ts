import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../src/config/load-config.ts";
import { readStorageOptions } from "../../src/storage-options.ts";

const SOURCES = {
  env: { DATABASE_URL: "postgres://a@b/c", TOOLWIRE_GATEWAY_KEYS: "k1:x" },
  folder: import.meta.dirname,
};

/** Reads a configuration with these `analytics`, and the options of its storage. */
function optionsOf(analytics: string) {
  const { config, problems } = readConfig(`version: 1\nservers: {}\nanalytics: ${analytics}\n`, SOURCES);
  expect(problems).toEqual([]);
  return readStorageOptions(config ?? { version: 1 }, SOURCES, () => undefined);
}

test("The storage of a gateway is opened as `analytics` says, with times in milliseconds and the folder beside the file", () => {
  expect(
    optionsOf(
      '{ store: postgres, url: "${env:DATABASE_URL}", path: kept, retention: { calls: 1d }, maxSpoolBytes: 8388608 }',
    ),
  ).toMatchObject({
    store: "postgres",
    url: "postgres://a@b/c",
    path: join(import.meta.dirname, "kept"),
    retention: { calls: 86_400_000, hourly: undefined },
    spool: { maxSpoolBytes: 8_388_608 },
    sealingKeys: "k1:x",
  });
});

test("Without `analytics`, the storage is in the folder `data` beside the file, and keeps as long as it does by itself", () => {
  expect(optionsOf("{}")).toMatchObject({
    store: undefined,
    url: undefined,
    path: join(import.meta.dirname, "data"),
    retention: { calls: undefined, hourly: undefined },
    spool: { maxSpoolBytes: undefined },
  });
});

test("A spool that is too small for two of its files is refused, with the smallest size that is taken", () => {
  const { problems } = readConfig("version: 1\nservers: {}\nanalytics: { maxSpoolBytes: 1000 }\n", SOURCES);
  expect(problems).toEqual([
    expect.objectContaining({ line: 3, message: expect.stringContaining("8388608") as string }),
  ]);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "../child.ts";
import { askVersion, type Browser } from "./browser.ts";

/** No network but for the page, and no questions. */
const PREFERENCES: { readonly [name: string]: unknown } = {
  // Whatever else it wants from the network, it looks for on this machine, where nobody answers.
  "network.dns.native-is-localhost": true,
  "network.dns.native_https_query": false,
  "network.trr.mode": 5,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  // Reports would be sent by a program of their own.
  "datareporting.policy.dataSubmissionEnabled": false,
  "toolkit.telemetry.server": "",
  // Pages that would be shown on the first start.
  "browser.aboutwelcome.enabled": false,
  "browser.preonboarding.enabled": false,
  "browser.startup.homepage_override.mstone": "ignore",
};

/** Firefox, by the name that its long-lived version has. */
export const firefox: Browser = {
  title: "Firefox",
  variable: "FIREFOX",
  path: "/usr/bin/firefox-esr",
  needs: [],
  readVersion: (program) => askVersion(program),
  show(url, program, profile) {
    const lines = Object.entries(PREFERENCES).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
    );
    writeFileSync(join(profile, "user.js"), lines.join(""));
    const command = [program, "--headless", "--no-remote", "--profile", profile, url] as const;
    return Promise.resolve(startProgram(command, "stdout", { MOZ_CRASHREPORTER_DISABLE: "1" }));
  },
};

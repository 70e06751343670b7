import { firstMeaning, startProgram, type RunningProgram } from "../child.ts";
import { askVersion, type Browser } from "./browser.ts";

const X_SERVER = "/usr/bin/Xvfb";

/** WebKit, which Safari is made of, in the small browser that comes with its library for GTK. That one needs a screen. */
export const webkit: Browser = {
  title: "WebKit",
  variable: "WEBKIT",
  path: "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
  needs: [X_SERVER],
  async readVersion(program) {
    const screen = await startScreen();
    try {
      return await askVersion(program, screen.variables);
    } finally {
      await screen.stop();
    }
  },
  async show(url, program, profile) {
    const screen = await startScreen();
    // It has no folder of its own, but those of the user.
    const folders = { HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile, XDG_DATA_HOME: profile };
    const browser = startProgram([program, "--private", url], "stdout", { ...screen.variables, ...folders });
    return {
      ...browser,
      stop: () => browser.stop().finally(() => screen.stop()),
    };
  },
};

interface Screen extends RunningProgram {
  /** The environment variables that a program needs to use it, and nothing else of a desktop. */
  readonly variables: NodeJS.ProcessEnv;
}

/** A screen that nobody sees, with the first number that is free. */
async function startScreen(): Promise<Screen> {
  const server = startProgram([X_SERVER, "-displayfd", "3", "-nolisten", "tcp"], "control");
  const number = await firstMeaning(server, (line) => line.trim() || undefined);
  const variables = {
    DISPLAY: `:${number}`,
    GDK_BACKEND: "x11",
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
    NO_AT_BRIDGE: "1",
  };
  return { ...server, variables };
}

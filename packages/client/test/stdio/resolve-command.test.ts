import { UsageError } from "@toolwire/protocol";
import { describe, expect, it } from "vitest";
import { mergeEnvironments, pickSafeEnvironment } from "../../src/stdio/environment.ts";
import { resolveCommand, type ResolvedCommand } from "../../src/stdio/resolve-command.ts";

const FILES = new Set(
  [
    "C:\\nodejs\\node.exe",
    "C:\\nodejs\\npx",
    "C:\\nodejs\\npx.cmd",
    "C:\\tools\\server.bat",
    "C:\\tools\\server.v2.exe",
    "C:\\work\\local.cmd",
    "C:\\work\\evil.exe",
  ].map((path) => path.toLowerCase()),
);

function onWindows(command: string, args: readonly string[] = [], env: Record<string, string> = {}): ResolvedCommand {
  return resolveCommand(command, args, {
    platform: "win32",
    env: { Path: 'C:\\windows;"C:\\nodejs";C:\\tools', ComSpec: "C:\\windows\\system32\\cmd.exe", ...env },
    cwd: "C:\\work",
    isFile: (path) => FILES.has(path.toLowerCase()),
  });
}

/** The one line of text that `cmd.exe` gets to read for these arguments. */
function batchLine(...args: string[]): string | undefined {
  return onWindows("npx", args).args.at(-1);
}

describe("on POSIX", () => {
  it("leaves the command to the system", () => {
    const resolved = resolveCommand("npx", ["-y", "a b"], { platform: "linux", env: {}, cwd: "/", isFile: () => true });
    expect(resolved).toEqual({ file: "npx", args: ["-y", "a b"], verbatim: false });
  });
});

describe("on Windows", () => {
  it("finds programs in the PATH, however it is spelled", () => {
    expect(onWindows("node", ["a b"])).toEqual({ file: "C:\\nodejs\\node.EXE", args: ["a b"], verbatim: false });
    expect(onWindows("NODE.EXE").file).toBe("C:\\nodejs\\NODE.EXE");
  });

  it("takes the batch file, not the shell script of the same name, and runs it through cmd.exe", () => {
    const { file, args, verbatim } = onWindows("npx", ["-y", "@scope/server"]);
    expect(file).toBe("C:\\windows\\system32\\cmd.exe");
    expect(args).toEqual(["/d", "/e:on", "/v:off", "/s", "/c", '""C:\\nodejs\\npx.CMD" -y @scope/server"']);
    expect(verbatim).toBe(true);
  });

  it("respects PATHEXT", () => {
    expect(onWindows("server", [], { PATHEXT: ".BAT" }).args.at(-1)).toBe('""C:\\tools\\server.BAT""');
    expect(onWindows("node", [], { PATHEXT: ".BAT" }).file).toBe("node");
  });

  it("takes a dot in a name for no extension", () => {
    expect(onWindows("server.v2").file).toBe("C:\\tools\\server.v2.EXE");
  });

  it("resolves relative paths against the working directory of the server", () => {
    expect(onWindows(".\\local").args.at(-1)).toBe('""C:\\work\\local.CMD""');
    expect(onWindows("../tools/server.bat").args.at(-1)).toBe('""C:\\tools\\server.bat""');
    expect(onWindows("C:\\nodejs\\node").file).toBe("C:\\nodejs\\node.EXE");
  });

  it("does not run what merely lies in the working directory", () => {
    expect(onWindows("evil").file).toBe("evil");
    expect(onWindows("local").file).toBe("local");
  });

  it("hands over what it cannot find, for the system to complain about", () => {
    expect(onWindows("nothing", ["x"])).toEqual({ file: "nothing", args: ["x"], verbatim: false });
  });
});

describe("arguments of batch files", () => {
  it.each([
    ["plain", "plain"],
    ["--flag=1", '"--flag=1"'],
    ["", '""'],
    ["a b", '"a b"'],
    ["a&calc", '"a&calc"'],
    ["a|b<c>d^e(f)g;h,i!j", '"a|b<c>d^e(f)g;h,i!j"'],
    ['say "hi"', '"say ""hi"""'],
    ['"&calc', '"""&calc"'],
    ['\\"', '"\\\\"""'],
    ["C:\\dir\\", '"C:\\dir\\\\"'],
    ["C:\\dir\\file", "C:\\dir\\file"],
    ["100%", '"100%%cd:~,%"'],
    ["%PATH%", '"%%cd:~,%PATH%%cd:~,%"'],
  ])("quotes %s", (argument, expected) => {
    expect(batchLine(argument)).toBe(`""C:\\nodejs\\npx.CMD" ${expected}"`);
  });

  it.each(["a\nb", "a\rb", "a\0b"])("refuses what cannot be quoted: %j", (argument) => {
    expect(() => batchLine(argument)).toThrow(UsageError);
  });
});

describe("the environment of a server", () => {
  const own = {
    HOME: "/home/me",
    PATH: "/bin",
    AWS_SECRET_ACCESS_KEY: "secret",
    TERM: "() { :; }; echo hi",
    USER: undefined,
  };

  it("holds only what programs need", () => {
    expect(pickSafeEnvironment(own, "linux")).toEqual({ HOME: "/home/me", PATH: "/bin" });
  });

  it("knows that Windows spells names in any case", () => {
    const windows = { Path: "C:\\windows", SystemRoot: "C:\\windows", TOKEN: "secret", HOME: "C:\\me" };
    expect(pickSafeEnvironment(windows, "win32")).toEqual({ Path: "C:\\windows", SystemRoot: "C:\\windows" });
  });

  it("tells programs on Windows where programs keep their things", () => {
    const folders = {
      ProgramData: "C:\\ProgramData",
      ProgramFiles: "C:\\Program Files",
      "ProgramFiles(x86)": "C:\\Program Files (x86)",
      APPDATA: "C:\\me\\AppData\\Roaming",
      LOCALAPPDATA: "C:\\me\\AppData\\Local",
      TEMP: "C:\\me\\Temp",
      COMPUTERNAME: "DESK",
    };
    expect(pickSafeEnvironment(folders, "win32")).toEqual(folders);
  });

  it("lets given variables win, in any spelling on Windows", () => {
    expect(mergeEnvironments({ PATH: "/bin", A: "1" }, { PATH: "/opt" }, "linux")).toEqual({ PATH: "/opt", A: "1" });
    expect(mergeEnvironments({ Path: "C:\\a", A: "1" }, { PATH: "C:\\b" }, "win32")).toEqual({ PATH: "C:\\b", A: "1" });
  });
});

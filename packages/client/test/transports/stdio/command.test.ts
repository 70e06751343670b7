import { UsageError } from "@toolwire/protocol";
import { describe, expect, it } from "vitest";
import { mergeEnvironments, pickSafeEnvironment } from "../../../src/transports/stdio/environment.ts";
import { resolveCommand, type ResolvedCommand } from "../../../src/transports/stdio/command.ts";

const FILES = new Set(
  [
    "C:\\nodejs\\node.exe",
    "C:\\nodejs\\npx",
    "C:\\nodejs\\npx.cmd",
    "C:\\nodejs\\task.js",
    "C:\\nodejs\\task.js.cmd",
    "C:\\tools\\server.bat",
    "C:\\tools\\server.v2.exe",
    "C:\\tools\\program.bin",
    "C:\\tools\\task.exe",
    "C:\\work\\local.cmd",
    "C:\\work\\evil.exe",
  ].map((path) => path.toLowerCase()),
);

const WINDOWS_ENVIRONMENT = {
  Path: 'C:\\windows;"C:\\nodejs";C:\\tools',
  ComSpec: "C:\\windows\\system32\\cmd.exe",
  PATHEXT: ".COM;.EXE;.BAT;.CMD;.VBS;.JS",
};

function onWindows(
  command: string,
  args: readonly string[] = [],
  env: Record<string, string | undefined> = {},
): ResolvedCommand | undefined {
  return resolveCommand(command, args, {
    platform: "win32",
    env: { ...WINDOWS_ENVIRONMENT, ...env },
    cwd: "C:\\work",
    isFile: (path) => FILES.has(path.toLowerCase()),
  });
}

/** The one line of text that `cmd.exe` gets to read for these arguments. */
function batchLine(...args: string[]): string | undefined {
  return onWindows("npx", args)?.args.at(-1);
}

describe("on POSIX", () => {
  it("command resolution on POSIX leaves the command to the system", () => {
    const resolved = resolveCommand("npx", ["-y", "a b"], { platform: "linux", env: {}, cwd: "/", isFile: () => true });
    expect(resolved).toEqual({ file: "npx", args: ["-y", "a b"], verbatim: false });
  });
});

describe("on Windows", () => {
  it("finds programs in the PATH, however it is spelled", () => {
    expect(onWindows("node", ["a b"])).toEqual({ file: "C:\\nodejs\\node.EXE", args: ["a b"], verbatim: false });
    expect(onWindows("NODE.EXE")?.file).toBe("C:\\nodejs\\NODE.EXE");
  });

  it("command resolution on Windows takes the batch file, not the shell script of the same name, and runs it through cmd.exe", () => {
    expect(onWindows("npx", ["-y", "@scope/server"])).toEqual({
      file: "C:\\windows\\system32\\cmd.exe",
      args: ["/d", "/e:on", "/v:off", "/s", "/c", '""C:\\nodejs\\npx.CMD" -y @scope/server"'],
      verbatim: true,
    });
  });

  it("command resolution on Windows takes the cmd.exe of the system if nothing says which", () => {
    expect(onWindows("npx", [], { ComSpec: undefined })?.file).toBe("C:\\Windows\\System32\\cmd.exe");
    const elsewhere = { ComSpec: undefined, SystemRoot: "D:\\Win" };
    expect(onWindows("npx", [], elsewhere)?.file).toBe("D:\\Win\\System32\\cmd.exe");
  });

  it("respects PATHEXT, as far as it names what can be started", () => {
    expect(onWindows("server", [], { PATHEXT: ".BAT" })?.args.at(-1)).toBe('""C:\\tools\\server.BAT""');
    expect(onWindows("server", [], { PATHEXT: undefined })?.args.at(-1)).toBe('""C:\\tools\\server.BAT""');
    expect(onWindows("node", [], { PATHEXT: ".BAT" })).toBeUndefined();
    expect(onWindows("node.exe", [], { PATHEXT: ".BAT" })?.file).toBe("C:\\nodejs\\node.exe");
    expect(onWindows("task")?.file).toBe("C:\\tools\\task.EXE");
    expect(onWindows("task.js")?.args.at(-1)).toBe('""C:\\nodejs\\task.js.CMD""');
  });

  it("command resolution on Windows takes a dot in a name for no extension", () => {
    expect(onWindows("server.v2")?.file).toBe("C:\\tools\\server.v2.EXE");
  });

  it("resolves relative paths against the working directory of the server", () => {
    expect(onWindows(".\\local")?.args.at(-1)).toBe('""C:\\work\\local.CMD""');
    expect(onWindows("../tools/server.bat")?.args.at(-1)).toBe('""C:\\tools\\server.bat""');
    expect(onWindows("C:\\nodejs\\node")?.file).toBe("C:\\nodejs\\node.EXE");
  });

  it("command resolution on Windows takes a path to the letter if there is nothing with an extension", () => {
    expect(onWindows("C:/tools/program.bin")?.file).toBe("C:\\tools\\program.bin");
    expect(onWindows("program.bin")).toBeUndefined();
  });

  it("command resolution on Windows does not run what merely lies in the working directory, nor lets Node find it there", () => {
    expect(onWindows("evil")).toBeUndefined();
    expect(onWindows("evil.exe")).toBeUndefined();
    expect(onWindows("local.cmd")).toBeUndefined();
  });

  it("command resolution on Windows does not ask cmd.exe for a batch file that does not exist", () => {
    expect(onWindows("C:\\nothing.cmd", ["x"])).toBeUndefined();
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

  it("the environment of a server holds only what programs need", () => {
    expect(pickSafeEnvironment(own, "linux")).toEqual({ HOME: "/home/me", PATH: "/bin" });
  });

  it("knows that Windows spells names in any case", () => {
    const windows = { Path: "C:\\windows", SystemRoot: "C:\\windows", TOKEN: "secret", HOME: "C:\\me" };
    expect(pickSafeEnvironment(windows, "win32")).toEqual({ Path: "C:\\windows", SystemRoot: "C:\\windows" });
  });

  it("the environment of a server tells programs on Windows where programs keep their things", () => {
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

  it("the environment of a server lets given variables win, in any spelling on Windows", () => {
    expect(mergeEnvironments({ PATH: "/bin", A: "1" }, { PATH: "/opt" }, "linux")).toEqual({ PATH: "/opt", A: "1" });
    expect(mergeEnvironments({ Path: "C:\\a", A: "1" }, { PATH: "C:\\b" }, "win32")).toEqual({ PATH: "C:\\b", A: "1" });
  });
});

/** The offers of a server and what is expected of it: the script that a client follows. */
export interface Script {
  readonly call: ToolLine;
  readonly read: { readonly uri: string; readonly text: string };
  readonly prompt: { readonly name: string; readonly args: { readonly [name: string]: string }; readonly text: string };
  /** A tool that returns `structuredContent`, and the expected value. */
  readonly structured?: (Omit<ToolLine, "text"> & { readonly value: object }) | undefined;
  /** A tool that fails with a result. */
  readonly toolError?: Omit<ToolLine, "text"> | undefined;
  /**
   * A tool that reports progress more than once. It goes on after each report when `next` is called, if there is one:
   * official clients forget reports that reach them together with the answer.
   */
  readonly progress?: (Omit<ToolLine, "text"> & { readonly next?: string }) | undefined;
  /** A tool that reports progress and then goes on for longer than anybody waits. */
  readonly wait?: Omit<ToolLine, "text"> | undefined;
  /** A tool that says how many such calls are running, for clients that do not show progress. */
  readonly waiting?: Omit<ToolLine, "text"> | undefined;
  /** A tool that says how many such calls were cancelled, where the server can tell. */
  readonly cancelled?: Omit<ToolLine, "text"> | undefined;
  /** A tool that asks the user for a `name`, and repeats the answer. */
  readonly ask?: ToolLine | undefined;
}

interface ToolLine {
  readonly tool: string;
  readonly args: { readonly [name: string]: unknown };
  /** Text that the answer has to contain. */
  readonly text: string;
}

/** The name that clients give when they are asked for one. */
export const ANSWER = "Ada";

/** The offers of the servers on other SDKs in `servers/`. */
export const STANDARD: Script = {
  call: { tool: "echo", args: { text: "grüße 🌍" }, text: "grüße 🌍" },
  read: { uri: "memo://hello", text: "Hello from a resource." },
  prompt: { name: "greet", args: { name: "Bob" }, text: "Say hello to Bob." },
  structured: { tool: "add", args: { a: 2, b: 3 }, value: { sum: 5 } },
  toolError: { tool: "fail", args: {} },
  progress: { tool: "count", args: { steps: 3 } },
  wait: { tool: "wait", args: {} },
  cancelled: { tool: "cancelled", args: {} },
  ask: { tool: "ask", args: {}, text: `Hello, ${ANSWER}!` },
};

/** The offers of our own server. */
const TOOLWIRE: Script = {
  ...STANDARD,
  progress: { tool: "count", args: { steps: 3 }, next: "next" },
  waiting: { tool: "waiting", args: {} },
};

/** For bridges that start a server per call or drop progress: `count` does not wait for calls of `next`. */
const UNPACED: Script = { ...TOOLWIRE, progress: { tool: "count", args: { steps: 3, isPaced: false } } };

/** The offers of `@modelcontextprotocol/server-everything`. Its long operation ignores cancellation. */
const EVERYTHING: Script = {
  call: { tool: "echo", args: { message: "grüße 🌍" }, text: "grüße 🌍" },
  read: { uri: "demo://resource/dynamic/text/1", text: "Resource 1" },
  prompt: { name: "args-prompt", args: { city: "Oslo" }, text: "Oslo" },
  structured: {
    tool: "get-structured-content",
    args: { location: "New York" },
    value: { temperature: 33, conditions: "Cloudy", humidity: 82 },
  },
  toolError: { tool: "get-sum", args: { a: "one" } },
  progress: { tool: "trigger-long-running-operation", args: { duration: 0.2, steps: 4 } },
  wait: { tool: "trigger-long-running-operation", args: { duration: 20, steps: 200 } },
  ask: { tool: "trigger-elicitation-request", args: {}, text: ANSWER },
};

/** The scripts by name. */
export const SCRIPTS = {
  standard: STANDARD,
  toolwire: TOOLWIRE,
  unpaced: UNPACED,
  everything: EVERYTHING,
} as const;

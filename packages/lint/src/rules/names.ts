import type { Host } from "../hosts.ts";
import type { Report, Rule } from "../rule.ts";
import { SOURCES } from "./sources.ts";

/** Names of tools: what APIs accept, what is left of their length, and which names can be taken for others. */

interface NameDemand {
  readonly hosts: readonly Host[];
  readonly pattern: RegExp;
  readonly demand: string;
}

const DEMANDS: readonly NameDemand[] = [
  {
    hosts: ["anthropic", "openai", "openai-strict"],
    pattern: /^[A-Za-z0-9_-]{1,64}$/,
    demand: "up to 64 letters, digits, underscores and hyphens",
  },
  {
    hosts: ["gemini"],
    pattern: /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/,
    demand: "a letter or an underscore first, and up to 64 characters",
  },
];

/** A name that an API refuses, and with it all requests. */
export const toolName: Rule = {
  id: "tool-name",
  severity: "error",
  summary: "names of tools are accepted by all APIs",
  hosts: ["anthropic", "openai", "openai-strict", "gemini"],
  sources: [
    SOURCES.toolsPage,
    SOURCES.geminiDeclaration,
    "https://github.com/google-gemini/gemini-cli/issues/2966",
    "https://github.com/microsoft/mcp/issues/842",
  ],
  *tool({ tool: { name } }) {
    for (const { hosts, pattern, demand } of DEMANDS) {
      if (pattern.test(name)) continue;
      yield { path: ["name"], hosts, message: `The name of this tool is refused: it needs ${demand}. Rename it.` };
    }
  },
};

/** How applications make names unique, and how many characters they have for that. */
const PREFIXED: readonly {
  readonly host: Host;
  readonly most: number;
  readonly made: (server: string, tool: string) => string;
}[] = [
  { host: "claude-code", most: 64, made: (server, tool) => `mcp__${server}__${tool}` },
  { host: "cursor", most: 60, made: (server, tool) => `${server}:${tool}` },
];

/** Without a name of the server, room for one of ten characters is left. */
const USUAL_SERVER = "x".repeat(10);

/** A name that is too long together with that of its server. */
export const toolNameWithServer: Rule = {
  id: "tool-name-with-server",
  severity: "warning",
  summary: "names leave room for the name of the server",
  hosts: PREFIXED.map(({ host }) => host),
  sources: [
    "https://github.com/awslabs/mcp/issues/1283",
    "https://github.com/ComposioHQ/composio/issues/2788",
    "https://github.com/microsoft/mcp/issues/842",
  ],
  *tool({ tool: { name } }, { server = USUAL_SERVER }) {
    for (const { host, most, made } of PREFIXED) {
      const { length } = made(server, name);
      if (length <= most) continue;
      yield {
        path: ["name"],
        hosts: [host],
        message:
          `This application puts the name of the server in front, which makes ${length} characters, and ${most} are possible: ` +
          "the tool is left out. Shorten its name.",
      };
    }
  },
};

/** Two tools of one name: one of them cannot be called. */
export const nameClash: Rule = {
  id: "name-clash",
  severity: "error",
  summary: "each tool has a name of its own, also across servers",
  hosts: [],
  sources: [SOURCES.toolsPage],
  *list({ tools, others }) {
    const own = new Set<string>();
    for (const { tool } of tools) {
      if (own.has(tool.name)) {
        yield {
          kind: "tool",
          name: tool.name,
          path: ["name"],
          message: "Two tools have this name, so that one of them cannot be called.",
        };
      }
      own.add(tool.name);
    }
    for (const { server, tools: foreign } of others) {
      for (const { name } of foreign) {
        if (!own.has(name)) continue;
        yield {
          kind: "tool",
          name,
          path: ["name"],
          severity: "warning",
          message:
            `The server ${JSON.stringify(server.slice(0, 64))} has a tool of this name, too. Applications without prefixes call ` +
            "either of them. Rename one, or give the servers prefixes.",
        };
      }
    }
  },
};

/** Names that a person or a model takes for one another. */
export const nameLookAlike: Rule = {
  id: "name-look-alike",
  severity: "warning",
  summary: "no two names look the same",
  hosts: [],
  sources: ["https://www.unicode.org/reports/tr39/#Confusable_Detection", SOURCES.poisoning],
  *list({ tools, others }) {
    const seen = new Map<string, string>();
    const look = function* (name: string, owner: string): Generator<Report> {
      const skeleton = skeletonOf(name);
      const known = seen.get(skeleton);
      if (known === undefined) seen.set(skeleton, name);
      else if (known !== name) {
        yield {
          kind: "tool",
          name,
          path: ["name"],
          message:
            `This name${owner} looks like that of the tool ${JSON.stringify(known.slice(0, 64))}. A model calls the wrong one, and a ` +
            "hostile server wants it to. Give them names that differ in a word.",
        };
      }
    };
    for (const { tool } of tools) yield* look(tool.name, "");
    for (const { server, tools: foreign } of others) {
      for (const { name } of foreign) yield* look(name, ` of the server ${JSON.stringify(server.slice(0, 64))}`);
    }
  },
};

/**
 * What is left of a name when differences are taken out that are easily overlooked: case, separators, forms of the same letter, and the
 * letters of Cyrillic and Greek that look like Latin ones.
 */
function skeletonOf(name: string): string {
  const plain = name.slice(0, 256).normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return Array.from(plain, (letter) => LOOKS_LIKE.get(letter) ?? letter)
    .join("")
    .replaceAll(/[_.\-\s]/g, "")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
}

/** Pairs of letters: one, and the one that it looks like. */
const LOOKS_LIKE: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  "аa еe оo рp сc уy хx іi ѕs јj ԁd ɡg һh ӏl ԛq ԝw αa εe οo ρp νv υu ιi κk τt 0o 1l |l il".split(" ").map((pair) => {
    const [one = "", other = ""] = Array.from(pair);
    return [one, other] as const;
  }),
);

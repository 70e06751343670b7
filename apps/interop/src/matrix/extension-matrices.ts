import { SKILL_STEPS } from "../steps/skill-steps.ts";
import { TASK_STEPS } from "../steps/task-steps.ts";
import { BY_TRANSPORT, rowPerPeer, type ClientPeer, type Limit, type Matrix, type ServerPeer } from "./cell.ts";
import { versionOf } from "./versions.ts";

const BOTH = ["stdio", "http"] as const;
const V1 = `SDK v1 ${versionOf("sdk-v1")}`;
const V2_CLIENT = `SDK v2 ${versionOf("@modelcontextprotocol/client")}`;
const V2_SERVER = `SDK v2 ${versionOf("@modelcontextprotocol/server")}`;
const EXT_TASKS = `ext-tasks ${versionOf("@modelcontextprotocol/ext-tasks")}`;

const NO_LIST: Limit = {
  step: "list",
  reason: "Toolwire's client goes on with tasks by what was kept of them, and does not list those of a server",
};

const taskClients: readonly ClientPeer[] = [
  { title: V1, program: { file: "tasks-v1" }, transports: BOTH },
  { title: `${EXT_TASKS}, legacy`, program: { file: "tasks-ext" }, mode: "legacy", transports: BOTH },
  {
    title: `${EXT_TASKS}, modern`,
    program: { file: "tasks-ext" },
    mode: "2026-07-28",
    // It leaves the sending of requests to its host, which has no other way to the process of a server.
    transports: ["http"],
    limits: [{ step: "list", reason: "the tasks of 2026-07-28 cannot be listed" }],
  },
  { title: "Toolwire", program: { file: "tasks-toolwire" }, isOurs: true, transports: BOTH, limits: [NO_LIST] },
  {
    title: "Toolwire, legacy",
    program: { file: "tasks-toolwire" },
    mode: "legacy",
    isOurs: true,
    transports: BOTH,
    limits: [NO_LIST],
  },
];

const taskServers: readonly ServerPeer[] = [
  { title: V1, program: { file: "tasks-v1" }, transports: BOTH },
  {
    title: `server-everything ${versionOf("@modelcontextprotocol/server-everything")}`,
    program: { file: "everything" },
    script: "everything",
    transports: BOTH,
    limits: [
      { step: "failed", reason: "the tool of server-everything that runs as a task does not fail" },
      ...["run", "follow", "resume"].map((step) => ({
        step,
        reason: "the tool of server-everything that runs as a task takes four seconds, so only `ask` waits for it",
      })),
    ],
  },
];

const skillClients: readonly ClientPeer[] = [
  { title: `${V2_CLIENT}, legacy`, program: { file: "skills-v2" }, mode: "legacy", transports: BOTH },
  { title: `${V2_CLIENT}, modern`, program: { file: "skills-v2" }, mode: "2026-07-28", transports: BOTH },
  { title: "Toolwire", program: { file: "skills-toolwire" }, isOurs: true, transports: BOTH },
  { title: "Toolwire, legacy", program: { file: "skills-toolwire" }, mode: "legacy", isOurs: true, transports: BOTH },
];

const skillServers: readonly ServerPeer[] = [{ title: V2_SERVER, program: { file: "skills-v2" }, transports: BOTH }];

/** The matrices of extensions. */
export const EXTENSION_MATRICES: readonly Matrix[] = [
  {
    title: "Tasks of our server with their clients",
    head: "client",
    steps: TASK_STEPS,
    variants: BY_TRANSPORT,
    rows: rowPerPeer(taskClients, (client, transport) => ({ client, server: ours("tasks"), transport })),
  },
  {
    title: "Tasks of their servers with our client",
    head: "server",
    steps: TASK_STEPS,
    variants: BY_TRANSPORT,
    rows: rowPerPeer(taskServers, (server, transport) => ({
      client: { ...ourClient("tasks"), limits: [NO_LIST] },
      server,
      transport,
    })),
  },
  {
    title: "Skills of our server with their clients",
    head: "client",
    steps: SKILL_STEPS,
    variants: BY_TRANSPORT,
    rows: rowPerPeer(skillClients, (client, transport) => ({ client, server: ours("skills"), transport })),
  },
  {
    title: "Skills of their servers with our client",
    head: "server",
    steps: SKILL_STEPS,
    variants: BY_TRANSPORT,
    rows: [
      ...rowPerPeer(skillServers, (server, transport) => ({
        client: ourClient("skills"),
        server,
        transport,
      })),
      ...rowPerPeer(
        skillServers.map((server) => ({ ...server, title: `${server.title}, legacy` })),
        (server, transport) => ({ client: { ...ourClient("skills"), mode: "legacy" }, server, transport }),
      ),
    ],
  },
];

/** Our server with an extension. The title tells its pairs from those without. */
function ours(extension: "tasks" | "skills"): ServerPeer {
  return {
    title: `Toolwire with ${extension}`,
    program: { file: `${extension}-toolwire` },
    isOurs: true,
    transports: BOTH,
  };
}

/** Our client with an extension. */
function ourClient(extension: "tasks" | "skills"): ClientPeer {
  return { ...ours(extension), program: { file: `${extension}-toolwire` } };
}

/** Writes docs/cluster-costs.md: the arithmetic, with the figures of a run. */
import { formatCount } from "../../report/format.ts";
import { renderMarkdown, type Table } from "../../report/table.ts";
import type { ClusterFigures, SimulationFigures } from "../figures.ts";
import { readMeasured } from "./measured.ts";
import { ASSUMPTIONS, type Bill, EXAMPLES, HABITS, makeBill, type Measured } from "./model.ts";
import { countOperations, type Operation, READ_AFTER, TOUCH_AFTER } from "./operations.ts";

const INTRODUCTION = `How many machines a cluster takes, how much of an engine, and what it holds in memory: an arithmetic for ten thousand, one million and
twenty million sessions of older clients (2025-11-25 and earlier). Modern clients need none of this: their calls ask the engine nothing.`;

const HOW = `Every figure is measured, follows from the load, or is an assumption that is listed here. The formulas are in
[\`costs/operations.ts\`](../apps/bench/src/cluster/costs/operations.ts) and [\`costs/model.ts\`](../apps/bench/src/cluster/costs/model.ts).
\`npm run bench:cluster\` measures, simulates and writes this page; \`npm test\` holds the formulas and the servers together.`;

const FLOWS: Table = {
  header: ["what happens", "messages", "the engine is asked", "and tells nodes"],
  rows: [
    ["a call at a node that knows the session", "1", "nothing", "nothing"],
    [
      "a session that a node goes on serving",
      "",
      `\`touch\` after ${TOUCH_AFTER} s, \`get\` after ${READ_AFTER} s`,
      "",
    ],
    ["a call at a node that does not know it", "1", "`get`, `touch`", ""],
    ["a session begins", "2", "`create`, `update`, `get`", ""],
    ["a session ends", "1", "`end`, a broadcast", "all others"],
    ["a stream (GET) is opened", "1", "`claim`, `get`; later `release`", ""],
    ["it is opened again after it broke", "1", "the same, and twice `changesAfter`", ""],
    ["a resource is watched", "1", "`update`, twice `get`; elsewhere a request and a `get`", "1"],
    ["a question is answered at another node", "1", "a request", "1"],
    ["a call is cancelled at another node", "1", "a broadcast", "all others"],
    ["a call goes on at another node", "1", "2 requests, 2 `append`, 3 `read`, `takeOver`", "2"],
    ["something has changed", "", "`announce`", "all"],
  ],
};

const BALANCING = `**Any node** is a balancer that chooses at random. **Same node** is one that sends a session to one node as long as it can, by a hash of
\`Mcp-Session-Id\`. Nothing depends on that: the figures show what it saves. With many nodes, quiet sessions meet a node that has not seen them for
long, so that most of their calls have to prolong the session there, or to read it.`;

const READING = `- **Nodes** are processes with one core. A machine of sixteen cores has sixteen.
- **Cold** messages wait for the engine once. They cost no more operations than others: a node that had not forgotten the session would read it again.
- **What a node knows** of a session is dropped five minutes after its last message, and earlier if there are more than \`legacy.sessions.max\`.
- A session that ends is told to all nodes, so that none answers for it any more. With many nodes, these messages are most of what the engine sends.
- **The memory of a stream** is that of its node. What the kernel takes for a connection is an assumption; buffers that are full take more.
- **Several engines**: one Redis uses one core. Sessions can be divided by their id (Redis Cluster); changes are one log.
- What \`create\` takes was measured with some thousand sessions. A node counts those in Postgres every five seconds, and whenever it has created a
  hundredth of what is allowed; that takes the longer the more there are. Redis knows how many there are.
- Postgres was measured without waiting for the disk (\`fsync=off\`): with it, operations that write take longer, but hardly more CPU.`;

/** The whole page. */
export function writeCostPage(figures: ClusterFigures): string {
  const engines = (["redis", "postgres"] as const).flatMap((engine) => {
    const measured = readMeasured(figures, engine);
    return measured === undefined ? [] : [{ title: engine === "redis" ? "Redis" : "Postgres", measured }];
  });
  const parts = [
    "# What a cluster costs",
    INTRODUCTION,
    `${HOW} ${figures.circumstances}`,
    "## What happens, and what it takes",
    renderMarkdown(FLOWS),
    BALANCING,
    "## Measured",
    renderMarkdown(describeMeasured(engines)),
    "## Assumed",
    renderMarkdown(describeAssumptions()),
    ...engines.flatMap(({ title, measured }) => [`## With ${title}`, renderMarkdown(describeBills(measured))]),
    "## How to read it",
    READING,
    ...(figures.simulation === undefined ? [] : describeSimulation(figures.simulation)),
  ];
  return `${parts.join("\n\n")}\n`;
}

function describeMeasured(engines: readonly { readonly title: string; readonly measured: Measured }[]): Table {
  const row = (what: string, read: (measured: Measured) => string): string[] => [
    what,
    ...engines.map(({ measured }) => read(measured)),
  ];
  const operation = (name: Operation): string[] =>
    row(`\`${name}\`: CPU of the engine, of the node, µs`, ({ engineCpu, nodeCpu }) =>
      [engineCpu(name), nodeCpu(name)].map((cost) => cost.toFixed(0)).join(", "),
    );
  return {
    header: ["figure", ...engines.map(({ title }) => title)],
    rows: [
      row("a call at a node that knows the session, CPU of the node, µs", ({ callCpu }) => callCpu.toFixed(0)),
      operation("sessions.create"),
      operation("sessions.get"),
      operation("sessions.touch"),
      operation("sessions.update"),
      operation("sessions.claim"),
      operation("events.append"),
      operation("events.read"),
      operation("bus.request"),
      operation("bus.broadcast"),
      row("an operation, bytes there and back", ({ operationBytes }) => operationBytes.toFixed(0)),
      row("a session in the engine, bytes", ({ record }) => formatCount(record)),
      row("what a node knows of a session, bytes", ({ view }) => formatCount(view)),
      row("an open stream in its node, bytes", ({ stream }) => formatCount(stream)),
      row("a node without sessions, MB", ({ idle }) => (idle / 1e6).toFixed(0)),
    ],
  };
}

function describeAssumptions(): Table {
  const {
    toolCpu,
    busy,
    kernelBytes,
    callBytes,
    keptBytes,
    keptFor,
    changeBytes,
    keptChanges,
    gatewayCpu,
    recordBytes,
  } = ASSUMPTIONS;
  const { questions, cancellations, resumptions, sessionLife, streamLife } = HABITS;
  return {
    header: ["assumption", "value"],
    rows: [
      ["calls that ask their user something", percent(questions)],
      ["calls that are cancelled", percent(cancellations)],
      ["calls whose stream breaks, and goes on", percent(resumptions)],
      ["a session lasts, seconds", formatCount(sessionLife)],
      ["a stream lasts before it has to be opened again, seconds", formatCount(streamLife)],
      ["CPU of the tools for a call, µs", formatCount(toolCpu)],
      ["how busy nodes and engines are to be", percent(busy)],
      ["memory of the kernel for a connection, bytes", formatCount(kernelBytes)],
      ["a call between client and node, bytes there and back", formatCount(callBytes)],
      ["events of a broken stream, bytes, kept for seconds", `${formatCount(keptBytes)}, ${keptFor}`],
      ["the log of changes: how many, bytes of each", `${formatCount(keptChanges)}, ${changeBytes}`],
      ["a call through the gateway, CPU µs ([measured](../apps/bench/GATEWAYS.md))", formatCount(gatewayCpu)],
      [
        "a call in the spool of the gateway, bytes ([1 GiB for two million](../packages/gateway/README.md))",
        formatCount(recordBytes),
      ],
    ],
  };
}

function describeBills(measured: Measured): Table {
  const bills = EXAMPLES.flatMap((example) => [
    { example, balancing: "any node", bill: makeBill(example, "any node", measured) } as const,
    { example, balancing: "same node", bill: makeBill(example, "same node", measured) } as const,
  ]);
  const row = (what: string, read: (bill: Bill) => string): string[] => [what, ...bills.map(({ bill }) => read(bill))];
  const rate = (what: string, ...operations: Operation[]): string[] =>
    row(what, (bill) => formatCount(operations.reduce((sum, operation) => sum + bill.operations[operation], 0)));
  return {
    header: ["", ...bills.map(({ example, balancing }) => `${example.title}, ${balancing}`)],
    rows: [
      row("sessions", ({ load }) => formatCount(load.sessions)),
      row("open streams", ({ load }) => formatCount(load.streams)),
      row("calls/s", ({ load }) => formatCount(load.calls)),
      row("messages/s", ({ messages }) => formatCount(messages)),
      row("**nodes**", ({ load }) => formatCount(load.nodes)),
      row("cold messages", ({ cold }) => percent(cold)),
      row("**engine operations/s**", ({ asked }) => formatCount(asked)),
      rate("of these: `touch`", "sessions.touch"),
      rate("`get`", "sessions.get"),
      rate("streams: `claim`, `release`, `changesAfter`", "sessions.claim", "sessions.release", "bus.changesAfter"),
      rate("sessions: `create`, `update`, `end`", "sessions.create", "sessions.update", "sessions.end"),
      rate("broken streams: `append`, `read`, `takeOver`", "events.append", "events.read", "events.takeOver"),
      rate("between nodes: requests, broadcasts, changes", "bus.request", "bus.broadcast", "bus.announce"),
      row("messages to nodes/s", ({ delivered }) => formatCount(delivered)),
      row("cores of the engine that are busy", ({ engineCores }) => engineCores.toFixed(2)),
      row("**engines of one core**", ({ engines }) => formatCount(engines)),
      row("memory of the engine, GB", ({ engineMemory }) => gigabytes(engineMemory)),
      row("memory of a node, MB", ({ nodeMemory, load }) => formatCount(nodeMemory / load.nodes / 1e6)),
      row("memory of all nodes, GB", ({ nodeMemory }) => gigabytes(nodeMemory)),
      row("between clients and nodes, MB/s", ({ clientTraffic }) => megabytes(clientTraffic)),
      row("between nodes and engine, MB/s", ({ engineTraffic }) => megabytes(engineTraffic)),
      row("if all calls go through the gateway: its processes", ({ gateways }) => formatCount(gateways)),
      row("records of its log/s", ({ load }) => formatCount(load.calls)),
      row("its log, MB/s", ({ logTraffic }) => megabytes(logTraffic)),
      row("its log, GB a day", ({ logTraffic }) => formatCount((logTraffic * 86_400) / 1e9)),
    ],
  };
}

/** Everything that was counted, next to what the arithmetic says. */
function describeSimulation({ load, seconds, messages, counted }: SimulationFigures): string[] {
  const expected = countOperations(load);
  const found = new Map(counted);
  const rows = (Object.keys(expected) as Operation[]).map((operation) => {
    const [sum, count] = [expected[operation] * seconds, (found.get(operation) ?? 0) * seconds];
    return [
      operation === "delivery" ? "messages to nodes" : `\`${operation}\``,
      formatCount(sum),
      formatCount(count),
      sum === 0 ? "" : (count / sum).toFixed(2),
    ];
  });
  return [
    "## Against servers",
    `${load.nodes} servers of one process over the engine in memory, ${formatCount(load.sessions)} sessions, ${formatCount(load.streams)} streams: ` +
      `${formatCount(messages)} messages in ${formatCount(seconds / 60)} minutes of time that is only counted. Clients call, ask, cancel, ` +
      "come back elsewhere, begin and end; every answer is checked.",
    renderMarkdown({ header: ["operation", "arithmetic", "counted", "counted / arithmetic"], rows }),
  ];
}

function percent(share: number): string {
  const value = share * 100;
  if (value < 0.01) return "0 %";
  return `${value >= 10 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(1)} %`;
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(bytes >= 1e10 ? 0 : 2);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes >= 1e7 ? 0 : 1);
}

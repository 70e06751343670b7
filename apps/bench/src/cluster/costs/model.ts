/** From a load to machines: how many nodes, how much of an engine, and what travels between them. */
import {
  countMessages,
  countOperations,
  countViews,
  type Load,
  type Operation,
  shareOfColdMessages,
} from "./operations.ts";

/** What was measured, for one engine. CPU in microseconds, memory in bytes. */
export interface Measured {
  /** Of one call of a legacy session, in the process of the node. */
  readonly callCpu: number;
  /** Of operations, in the engine and in the node. */
  readonly engineCpu: (operation: Operation) => number;
  readonly nodeCpu: (operation: Operation) => number;
  /** Bytes of an operation, there and back. */
  readonly operationBytes: number;
  /** Memory of a node without sessions, of what it knows of a session, and of an open stream. */
  readonly idle: number;
  readonly view: number;
  readonly stream: number;
  /** Memory of a session in the engine. */
  readonly record: number;
}

/** What was not measured, because it is a matter of the application. */
export interface Assumptions {
  /** CPU of the tools themselves for a call, in microseconds. */
  readonly toolCpu: number;
  /** The share of a core that nodes and engines are to be busy, so that there is room for peaks and for machines that fail. */
  readonly busy: number;
  /** Memory of the kernel for a connection, in bytes. */
  readonly kernelBytes: number;
  /** Bytes of a call between client and node, there and back, with headers. */
  readonly callBytes: number;
  /** Bytes of events that a stream leaves in the log for a client that comes back, and for how long, in seconds. */
  readonly keptBytes: number;
  readonly keptFor: number;
  /** Bytes of a change in the log of changes, which keeps so many. */
  readonly changeBytes: number;
  readonly keptChanges: number;
  /** CPU of the gateway for a call that goes through it, in microseconds, and bytes of the call in its log. */
  readonly gatewayCpu: number;
  readonly recordBytes: number;
}

/** The assumptions of the page. */
export const ASSUMPTIONS: Assumptions = {
  toolCpu: 100,
  busy: 0.5,
  kernelBytes: 4096,
  callBytes: 2500,
  keptBytes: 1200,
  keptFor: 300,
  changeBytes: 200,
  keptChanges: 10_000,
  // As `npm run bench:gateway` has measured it, with the log in a database.
  gatewayCpu: 124,
  // The spool of the gateway: about two million records in 1 GiB.
  recordBytes: 540,
};

/** An example: how many sessions there are, and what each does, whatever their number. */
export interface Example {
  readonly title: string;
  readonly sessions: number;
  readonly callsPerSecond: number;
  readonly shareWithStream: number;
  /** Batches of changes per second. */
  readonly changes: number;
}

/** What holds for all examples. */
export const HABITS = {
  questions: 0.005,
  cancellations: 0.001,
  resumptions: 0.005,
  /** Seconds that a session lasts, and a stream, before it has to be opened again. */
  sessionLife: 3600,
  streamLife: 600,
} as const;

export const EXAMPLES: readonly Example[] = [
  { title: "ten thousand", sessions: 10_000, callsPerSecond: 500, shareWithStream: 0.2, changes: 1 },
  { title: "one million", sessions: 1_000_000, callsPerSecond: 50_000, shareWithStream: 0.1, changes: 10 },
  { title: "twenty million", sessions: 20_000_000, callsPerSecond: 500_000, shareWithStream: 0.1, changes: 10 },
];

/** How the balancer chooses a node. */
export type Balancing = "any node" | "same node";

/** What an example takes. */
export interface Bill {
  readonly load: Load;
  readonly messages: number;
  /** The share of messages whose session has to be looked up. */
  readonly cold: number;
  readonly operations: Readonly<Record<Operation, number>>;
  /** All of them that are asked of the engine, and the messages that it brings to nodes. */
  readonly asked: number;
  readonly delivered: number;
  /** Cores that are busy, of nodes and of the engine. */
  readonly nodeCores: number;
  readonly engineCores: number;
  /** Engines of one core each, as they are to be busy. */
  readonly engines: number;
  /** Bytes. */
  readonly engineMemory: number;
  readonly nodeMemory: number;
  readonly views: number;
  /** Bytes per second: between clients and nodes, and between nodes and engine. */
  readonly clientTraffic: number;
  readonly engineTraffic: number;
  /** If all calls go through the gateway: its processes, and bytes per second of its log. */
  readonly gateways: number;
  readonly logTraffic: number;
}

/** Finds the number of nodes, each a process with a core, and what everything else comes to. */
export function makeBill(
  example: Example,
  balancing: Balancing,
  measured: Measured,
  assumed: Assumptions = ASSUMPTIONS,
): Bill {
  let nodes = 2;
  // More nodes take more upkeep, so that there may have to be some more.
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const bill = makeBillFor(makeLoad(example, balancing, nodes), measured, assumed);
    const needed = Math.ceil(bill.nodeCores / assumed.busy);
    if (needed <= nodes) return bill;
    nodes = needed;
  }
  throw new Error(
    `No number of nodes is enough for ${example.title}: each of them costs the others more than it adds.`,
  );
}

const MOST_TRIES = 1000;

/** The load of an example on so many nodes. */
function makeLoad(
  { sessions, callsPerSecond, shareWithStream, changes }: Example,
  balancing: Balancing,
  nodes: number,
): Load {
  const streams = sessions * shareWithStream;
  return {
    nodes,
    reach: balancing === "any node" ? nodes : 1,
    sessions,
    streams,
    calls: callsPerSecond,
    questions: callsPerSecond * HABITS.questions,
    cancellations: callsPerSecond * HABITS.cancellations,
    resumptions: callsPerSecond * HABITS.resumptions,
    turnover: sessions / HABITS.sessionLife,
    reconnections: streams / HABITS.streamLife,
    changes,
  };
}

function makeBillFor(load: Load, measured: Measured, assumed: Assumptions): Bill {
  const operations = countOperations(load);
  const entries = Object.entries(operations) as [Operation, number][];
  const sum = (cost: (operation: Operation) => number): number =>
    entries.reduce((total, [operation, rate]) => total + rate * cost(operation), 0);
  const messages = countMessages(load);
  const asked = sum((operation) => (operation === "delivery" ? 0 : 1));
  const views = countViews(load);
  const engineCores = sum(measured.engineCpu) / 1e6;
  const nodeCpu = messages * measured.callCpu + load.calls * assumed.toolCpu + sum(measured.nodeCpu);
  return {
    load,
    messages,
    cold: shareOfColdMessages(load),
    operations,
    asked,
    delivered: operations.delivery,
    nodeCores: nodeCpu / 1e6,
    engineCores,
    engines: Math.ceil(engineCores / assumed.busy),
    engineMemory:
      load.sessions * measured.record +
      load.resumptions * assumed.keptFor * assumed.keptBytes +
      assumed.keptChanges * assumed.changeBytes,
    nodeMemory:
      load.nodes * measured.idle + views * measured.view + load.streams * (measured.stream + assumed.kernelBytes),
    views,
    clientTraffic: messages * assumed.callBytes,
    engineTraffic: (asked + operations.delivery) * measured.operationBytes,
    gateways: Math.ceil((load.calls * assumed.gatewayCpu) / 1e6 / assumed.busy),
    logTraffic: load.calls * assumed.recordBytes,
  };
}

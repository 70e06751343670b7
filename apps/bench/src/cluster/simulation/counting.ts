/** Counts what nodes ask of their engine, and what it tells them. */
import type { BusListener, Cluster } from "@toolwire/server/cluster";

/** How often each operation was carried out. */
export type Counts = Map<Operation, number>;

/** An operation of the engine, or a message that it brings to a node. */
export type Operation = `${"sessions" | "events" | "limits" | "once" | "keys" | "bus"}.${string}` | "delivery";

/** Puts a counter between a node and its engine. */
export function countOperations(cluster: Cluster, counts: Counts): Cluster {
  let listeners = 0;
  const count = (operation: Operation): void => void counts.set(operation, (counts.get(operation) ?? 0) + 1);
  const watch = <Name extends "sessions" | "events" | "limits" | "once" | "keys" | "bus">(name: Name): Cluster[Name] =>
    new Proxy(cluster[name], {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== "function") return value;
        return (...given: unknown[]): unknown => {
          if (key === "listen") {
            listeners += 1;
            // What reaches a node is counted once, however many listen there.
            if (listeners === 1) return Reflect.apply(value, target, [countDeliveries(given[0] as BusListener, count)]);
            return Reflect.apply(value, target, given);
          }
          count(`${name}.${String(key)}`);
          return Reflect.apply(value, target, given);
        };
      },
    });
  return {
    node: cluster.node,
    sessions: watch("sessions"),
    events: watch("events"),
    limits: watch("limits"),
    once: watch("once"),
    keys: watch("keys"),
    bus: watch("bus"),
    close: () => cluster.close(),
  };
}

/** Counts messages of other nodes, and batches of changes. */
function countDeliveries(listener: BusListener, count: (operation: Operation) => void): BusListener {
  return {
    message(message, from) {
      count("delivery");
      return listener.message(message, from);
    },
    changes(batch) {
      if (batch.changes.length > 0) count("delivery");
      listener.changes(batch);
    },
    missed: (place) => listener.missed(place),
    stateChanged: (isUp) => listener.stateChanged?.(isUp),
  };
}

import type { JSX } from "preact";
import type { AuditView, HealthView } from "../../../src/admin/views.ts";
import { usePoll } from "../api/poll.ts";
import { StatusBadge } from "../controls/badges.tsx";
import { Problem } from "../controls/problem.tsx";
import { Notice, Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { formatBytes, formatCount } from "../format/numbers.ts";
import { formatFullTime, formatSpan } from "../format/times.ts";
import { Fact } from "./call.tsx";

const STORES = { pglite: "embedded database (PGlite)", postgres: "Postgres", memory: "memory" } as const;

/** The state of the gateway, of its call log, and what was changed last. */
export function HealthPage(): JSX.Element {
  const { data, error } = usePoll<HealthView>("health");
  const audit = usePoll<AuditView>("audit?limit=50");
  return (
    <>
      <ViewHead
        title={<>Health {data === undefined ? null : <StatusBadge status={data.status} />}</>}
        note={data === undefined ? undefined : `${data.node}, up for ${formatSpan(Date.now() - data.startedAt)}`}
      />
      {data === undefined ? (
        <Waiting error={error} />
      ) : (
        <>
          {data.problems.length === 0 ? (
            <Notice tone="good">Everything is as it should be.</Notice>
          ) : (
            <Notice tone="bad">
              <ul>
                {data.problems.map((problem) => (
                  <li key={problem}>
                    <Problem text={problem} />
                  </li>
                ))}
              </ul>
            </Notice>
          )}
          <div class="columns">
            <Panel title="Call log">
              <dl class="facts">
                <Fact name="Kept in">{STORES[data.log.store]}</Fact>
                <Fact name="Database">{data.log.isHealthy ? "writable" : "not writable"}</Fact>
                <Fact name="Written">{formatCount(data.log.written)} records</Fact>
                <Fact name="Waiting">
                  {formatCount(data.log.waiting)} records in the spool, {formatBytes(data.log.spoolBytes)}
                </Fact>
                <Fact name="Lost">{formatCount(data.log.lost)} records</Fact>
                <Fact name="Skipped">{formatCount(data.log.skipped)} records</Fact>
              </dl>
            </Panel>
            <Panel title="Process">
              <dl class="facts">
                <Fact name="Takes calls">{data.isReady ? "yes" : "no"}</Fact>
                <Fact name="Address">
                  <code>{data.url}</code>
                </Fact>
                <Fact name="Started">{formatFullTime(data.startedAt)}</Fact>
                <Fact name="Memory">{formatBytes(data.memoryBytes)}</Fact>
                <Fact name="Metrics">
                  <a href="/api/v1/metrics">for Prometheus</a>
                </Fact>
              </dl>
            </Panel>
          </div>
        </>
      )}
      <Panel title="Changes" note="made through this page, the admin API and the command line">
        {audit.data === undefined ? (
          <Waiting error={audit.error} />
        ) : audit.data.entries.length === 0 ? (
          <p class="empty">Nothing was changed yet.</p>
        ) : (
          <table class="rows">
            <caption class="visually-hidden">The last changes</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">Of what</th>
              </tr>
            </thead>
            <tbody>
              {audit.data.entries.map((entry, index) => (
                <tr key={`${entry.at}/${index}`}>
                  <td class="cell-time">{formatFullTime(entry.at)}</td>
                  <td>{entry.actor}</td>
                  <td>{entry.action}</td>
                  <td class="cell-text">{entry.subject}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </>
  );
}

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ServerView, ToolView, TryView } from "../../../src/admin/views.ts";
import type { CallRecord } from "../../../src/log/call-record.ts";
import { change, messageOf, read } from "../api/client.ts";
import { usePoll } from "../api/poll.ts";
import { SourceBadge, StatusBadge } from "../controls/badges.tsx";
import { JsonText } from "../controls/json-text.tsx";
import { Notice, Panel, ViewHead, Waiting } from "../controls/panel.tsx";
import { TryForm } from "../form/try-form.tsx";
import { showHidden } from "../format/hidden-characters.ts";
import { formatBytes, plural } from "../format/numbers.ts";
import { Link } from "../location/link.tsx";
import { pathTo, type PageLocation } from "../location/query.ts";

/** One tool: what it is, and a form to try it. */
export function ToolPage(props: {
  readonly slug: string;
  readonly name: string;
  readonly location: PageLocation;
}): JSX.Element {
  const { slug, name, location } = props;
  // Read once: a form must not change under the hands of the person who fills it in.
  const { data, error } = usePoll<ServerView>(`servers/${encodeURIComponent(slug)}`, 3_600_000);
  const from = location.query.get("from") ?? undefined;
  const initial = useEarlierArguments(from);
  const tool = data?.tools.find((each) => each.name === name);
  return (
    <>
      <p class="crumbs">
        <Link href="/servers">Servers</Link> <span aria-hidden="true">/</span>{" "}
        <Link href={pathTo("servers", slug)}>{data?.title ?? slug}</Link>
      </p>
      <ViewHead
        title={
          <>
            {showHidden(tool?.title ?? name)} {tool === undefined ? null : <StatusBadge status={tool.status} />}
          </>
        }
        note={tool?.description === undefined ? undefined : showHidden(tool.description)}
      />
      {tool === undefined ? (
        <Waiting error={data === undefined ? error : `The server ${slug} has no tool ${name}.`} />
      ) : (
        <div class="columns columns-tool">
          <Panel title="Try it" note="as the principal admin, with the credentials of the server">
            {initial.isKnown ? (
              <TryTool slug={slug} tool={tool} initial={initial.value} note={initial.note} />
            ) : (
              <Waiting error={undefined} />
            )}
          </Panel>
          <ToolFacts tool={tool} />
        </div>
      )}
    </>
  );
}

function ToolFacts({ tool }: { readonly tool: ToolView }): JSX.Element {
  const hints = Object.entries(tool.annotations ?? {}).filter(([, value]) => value === true);
  return (
    <Panel title="Listing" note={`${plural(tool.tokens, "token")}, ${formatBytes(tool.bytes)}`}>
      <p class="tags">
        <code>{showHidden(tool.name)}</code> <SourceBadge source={tool.source} />{" "}
        {hints.map(([hint]) => (
          <span class="badge badge-plain" key={hint}>
            {HINTS[hint] ?? hint}
          </span>
        ))}
      </p>
      <h3>Input schema</h3>
      <JsonText text={JSON.stringify(tool.inputSchema)} label="Input schema" />
      {tool.rewritten.length === 0 ? null : (
        <>
          <h3>Rewritten for all models</h3>
          <ul>
            {tool.rewritten.map((rewriting) => (
              <li key={rewriting}>{showHidden(rewriting)}</li>
            ))}
          </ul>
        </>
      )}
      {tool.outputSchema === undefined ? null : (
        <>
          <h3>Output schema</h3>
          <JsonText text={JSON.stringify(tool.outputSchema)} label="Output schema" />
        </>
      )}
    </Panel>
  );
}

const HINTS: { readonly [hint: string]: string } = {
  readOnlyHint: "only reads",
  destructiveHint: "destroys",
  idempotentHint: "same effect twice",
  openWorldHint: "open world",
};

function TryTool(props: {
  readonly slug: string;
  readonly tool: ToolView;
  readonly initial: unknown;
  readonly note: string | undefined;
}): JSX.Element {
  const { slug, tool, initial, note } = props;
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<TryView | undefined>();
  const [error, setError] = useState<string | undefined>();
  const leave = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => leave.current?.abort(), []);
  const run = async (args: unknown): Promise<void> => {
    leave.current = new AbortController();
    setBusy(true);
    setError(undefined);
    try {
      const path = `servers/${encodeURIComponent(slug)}/tools/${encodeURIComponent(tool.name)}/try`;
      setAnswer(await change<TryView>("POST", path, { arguments: args }, { signal: leave.current.signal }));
    } catch (failure) {
      setError(leave.current.signal.aborted ? "The call was cancelled." : messageOf(failure));
    }
    setBusy(false);
  };
  return (
    <>
      {note === undefined ? null : <p class="muted">{note}</p>}
      <TryForm
        schema={tool.inputSchema}
        initial={initial}
        isBusy={isBusy}
        onSubmit={(args) => void run(args)}
        onCancel={() => leave.current?.abort()}
      />
      <div aria-live="polite">
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        {answer === undefined ? null : <Answer answer={answer} />}
      </div>
    </>
  );
}

function Answer({ answer: { id, result } }: { readonly answer: TryView }): JSX.Element {
  return (
    <section class="answer" aria-label="Result">
      <h3>
        {result.isError === true ? "The tool reported an error" : "Result"}{" "}
        <Link href={pathTo("calls", id)} class="answer-link">
          See the call
        </Link>
      </h3>
      {result.content.map((block, index) => (
        <JsonText
          key={index}
          label={`Block ${index + 1}`}
          text={block.type === "text" ? block.text : JSON.stringify(withoutData(block))}
        />
      ))}
      {result.structuredContent === undefined ? null : (
        <JsonText text={JSON.stringify(result.structuredContent)} label="Structured content" />
      )}
    </section>
  );
}

/** Images and sounds as their size: what an upstream sends is shown as text, and as nothing else. */
function withoutData(block: object): object {
  const { data } = block as { readonly data?: unknown };
  return typeof data === "string"
    ? { ...block, data: `${formatBytes(Math.floor(data.length * 0.75))}, not shown` }
    : block;
}

/** The arguments of a call that is to be tried again, if they were kept. */
function useEarlierArguments(id: string | undefined): { isKnown: boolean; value?: unknown; note?: string | undefined } {
  const [state, setState] = useState<{ isKnown: boolean; value?: unknown; note?: string }>({
    isKnown: id === undefined,
  });
  useEffect(() => {
    if (id === undefined) return;
    read<{ readonly call: CallRecord }>(`calls/${encodeURIComponent(id)}`).then(
      ({ call }) => setState({ isKnown: true, ...readArguments(call) }),
      (failure: unknown) => setState({ isKnown: true, note: messageOf(failure) }),
    );
  }, [id]);
  return state;
}

function readArguments({ capture }: CallRecord): { value?: unknown; note: string } {
  if (capture === undefined) {
    return { note: "The arguments of that call were not kept. Fill them in again." };
  }
  try {
    return {
      value: JSON.parse(capture.arguments),
      note: "The arguments are those of the earlier call, without secrets.",
    };
  } catch {
    return { note: "The arguments of that call were too long to be kept whole. Fill them in again." };
  }
}

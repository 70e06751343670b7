/** An event of an event stream. */
export interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/** The events of an event stream (HTML standard, "Interpreting an event stream"). One that was cut off is left out. */
export function decodeEvents(bytes: Buffer): StreamEvent[] {
  const blocks = bytes
    .toString("utf8")
    .replaceAll(/\r\n|\r/g, "\n")
    .split("\n\n")
    .slice(0, -1);
  return blocks.map(decodeEvent).filter((event) => event.data !== "");
}

function decodeEvent(block: string): StreamEvent {
  let type = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") type = value;
    if (field === "data") data.push(value);
  }
  return { type, data: data.join("\n") };
}

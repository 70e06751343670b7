/**
 * The event that carries a message, whose JSON has no line breaks. It says that it is one, although that goes without
 * saying (WHATWG HTML, section 9.2.6): some clients pass over events that do not, and then wait for ever.
 */
export function encodeMessageEvent(data: string, id = ""): string {
  return `event: message\n${id && `id: ${id}\n`}data: ${data}\n\n`;
}

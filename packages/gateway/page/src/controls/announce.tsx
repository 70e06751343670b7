import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

let tell: (text: string) => void = () => undefined;

/** Says something that has happened, to everybody: it is shown for a while, and read out. */
export function announce(text: string): void {
  tell(text);
}

/** The place where such sentences appear. */
export function Announcements(): JSX.Element {
  const [text, setText] = useState("");
  useEffect(() => {
    tell = setText;
  }, []);
  useEffect(() => {
    if (text === "") return undefined;
    const timer = setTimeout(() => setText(""), 5000);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class={text === "" ? "toast" : "toast toast-shown"} role="status">
      {text}
    </div>
  );
}

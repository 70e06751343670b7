import { messageOf } from "./client.ts";

/** A page that can be hidden: the document, or a test in its place. */
export interface VisiblePage {
  readonly hidden: boolean;
  addEventListener(type: "visibilitychange", listener: () => void, options?: { readonly once: boolean }): void;
  removeEventListener(type: "visibilitychange", listener: () => void): void;
}

/** A resource that is read again and again, and those who hear of it. */
export interface Reading<T> {
  readonly read: (signal: AbortSignal) => Promise<T>;
  /** Milliseconds between the end of one attempt and the start of the next. */
  readonly interval: number;
  readonly page: VisiblePage;
  readonly onData: (data: T) => void;
  readonly onError: (message: string) => void;
}

/** Reads something at once, and then at an interval as long as the page can be seen. Returns what ends it. */
export function keepReading<T>({ read, interval, page, onData, onError }: Reading<T>): () => void {
  const leave = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const load = async (): Promise<void> => {
    try {
      const data = await read(leave.signal);
      if (!leave.signal.aborted) onData(data);
    } catch (error) {
      if (!leave.signal.aborted) onError(messageOf(error));
    }
    if (!leave.signal.aborted) timer = setTimeout(wait, interval);
  };
  const wait = (): void => {
    if (page.hidden) page.addEventListener("visibilitychange", wait, { once: true });
    else void load();
  };
  void load();
  return () => {
    leave.abort();
    clearTimeout(timer);
    page.removeEventListener("visibilitychange", wait);
  };
}

/** Something that an operator should know about requests to APIs. The caller of a tool is told less. */
export type HttpDiagnostic =
  | {
      /** A request was not sent, because its address is not allowed. */
      readonly type: "address-refused";
      readonly host: string;
      /** The address that the host has, if it was looked up. */
      readonly address?: string | undefined;
      /** Says which address was refused and why, and how to allow it. */
      readonly message: string;
    }
  | {
      /** A request was sent again. */
      readonly type: "retried";
      readonly origin: string;
      /** The number of the attempt that failed, from 1. */
      readonly attempt: number;
      readonly message: string;
    }
  | {
      /** There was no response. The message may name hosts and ports, and never credentials. */
      readonly type: "call-failed";
      readonly origin: string;
      readonly message: string;
      /** The message and the code of the failure. */
      readonly error: Error;
    };

/** Is told about diagnostics. */
export type OnHttpDiagnostic = (diagnostic: HttpDiagnostic) => void;

/** Hosts that warnings were given for, at most this many. */
const MAX_WARNED = 100;

/**
 * The listener that is used if there is none: the first refusal of each host is a warning of the process, because a
 * beginner with an API of their own network would otherwise not learn how to allow it.
 */
export function warnOfRefusals(): OnHttpDiagnostic {
  const warned = new Set<string>();
  return (diagnostic) => {
    if (diagnostic.type !== "address-refused" || warned.has(diagnostic.host) || warned.size >= MAX_WARNED) return;
    warned.add(diagnostic.host);
    const { process } = globalThis as { process?: { emitWarning?(message: string, options: object): void } };
    process?.emitWarning?.(diagnostic.message, { type: "ToolwireWarning", code: "ADDRESS_REFUSED" });
  };
}

/** Calls a listener of the application. Its errors are its own, and must not fail a call. */
export function tell(listener: OnHttpDiagnostic, diagnostic: HttpDiagnostic): void {
  try {
    listener(diagnostic);
  } catch {
    // Nothing else listens.
  }
}

import { UsageError } from "@toolwire/server";
import { findNearestName } from "@toolwire/json-schema/internal";
import type { OperationModel, SchemeModel, SecurityAlternative } from "../document/model.ts";
import type { Auth } from "../credentials/auth.ts";
import { apiKey, bearer, combineAuth } from "../credentials/kinds.ts";
import type { SchemeCredential } from "./options.ts";
import type { DeclaredScheme } from "./imported-operation.ts";
import type { SchemeReport } from "./report.ts";

/** The credential of an operation, or the reason why it cannot be called. */
export type OperationAuth =
  | { readonly auth: Auth | undefined; readonly schemes: readonly string[]; readonly problem?: undefined }
  | { readonly problem: string };

/** Finds the credential that an operation needs. An operation that needs one is never sent without. */
export class Security {
  readonly #schemes: ReadonlyMap<string, SchemeModel>;
  readonly #single: Auth | undefined;
  readonly #byScheme = new Map<string, Auth>();
  readonly #used = new Set<string>();
  readonly #missing = new Set<string>();

  constructor(
    schemes: ReadonlyMap<string, SchemeModel>,
    auth: Auth | { readonly [scheme: string]: SchemeCredential } | undefined,
  ) {
    this.#schemes = schemes;
    if (auth === undefined) return;
    if (isAuth(auth)) {
      this.#single = auth;
      return;
    }
    for (const [name, credential] of Object.entries(auth)) this.#byScheme.set(name, this.#read(name, credential));
  }

  #read(name: string, credential: SchemeCredential): Auth {
    const scheme = this.#schemes.get(name);
    if (scheme === undefined) {
      const names = [...this.#schemes.keys()];
      const near = findNearestName(name, names);
      const hint =
        near !== undefined
          ? `Did you mean "${near}"?`
          : names.length === 0
            ? "It has none."
            : `It has ${names.slice(0, 20).join(", ")}.`;
      throw new UsageError(
        "INVALID_ARGUMENT",
        `\`auth\` has a credential for the security scheme "${name}", which is not in the document. ${hint}`,
      );
    }
    if (isAuth(credential)) return credential;
    const { type } = scheme.credential;
    if (type === "apiKey") return apiKey({ value: credential, in: scheme.credential.in, name: scheme.credential.name });
    if (type === "bearer" || type === "token") return bearer(credential);
    throw new UsageError(
      "INVALID_ARGUMENT",
      `The security scheme "${name}" (${scheme.kind}) takes no plain text: pass basic({ username, password }), or another credential.`,
    );
  }

  /** The credential of an operation. */
  authOf({ security }: Pick<OperationModel, "security">): OperationAuth {
    if (this.#single !== undefined) {
      // An empty list says that the operation needs none, such as a login. Silence says nothing.
      const isOpen = security?.every((alternative) => alternative.length === 0) ?? false;
      if (isOpen) return { auth: undefined, schemes: [] };
      return { auth: this.#single, schemes: security?.find((alternative) => alternative.length > 0) ?? [] };
    }
    if (security === undefined || security.length === 0) return { auth: undefined, schemes: [] };
    const ready = security.find(
      (alternative) => alternative.length > 0 && alternative.every((name) => this.#byScheme.has(name)),
    );
    if (ready !== undefined) {
      for (const name of ready) this.#used.add(name);
      const [first, ...others] = ready.map((name) => this.#byScheme.get(name)!);
      return { auth: others.length === 0 ? first : combineAuth(first!, ...others), schemes: ready };
    }
    if (security.some((alternative) => alternative.length === 0)) return { auth: undefined, schemes: [] };
    for (const name of security.flat()) this.#missing.add(name);
    return { problem: this.#describeMissing(security) };
  }

  #describeMissing(security: readonly SecurityAlternative[]): string {
    const alternatives = security
      .slice(0, 5)
      .map((names) =>
        names.map((name) => `"${name}" (${this.#schemes.get(name)?.kind ?? "not declared"})`).join(" and "),
      );
    const example = security.flat().find((name) => !this.#byScheme.has(name)) ?? "name";
    return `It needs a credential: ${alternatives.join(", or ")}. Pass \`auth: { ${JSON.stringify(example)}: … }\``;
  }

  /** The schemes of the document for a report. Call it after all operations. */
  report(): readonly SchemeReport[] {
    return [...this.#schemes.values()].map(({ name, kind, credential }) => {
      if (this.#used.has(name)) return { name, kind, state: "used" };
      if (!this.#missing.has(name)) return { name, kind, state: "unused" };
      return { name, kind, state: credential.type === "unsupported" ? "unsupported" : "not configured" };
    });
  }
}

/** Tells a credential from an object of credentials. */
function isAuth(value: unknown): value is Auth {
  const { kind, apply } = (value ?? {}) as Partial<Auth>;
  return typeof kind === "string" && typeof apply === "function";
}

/** The schemes of a document, for people who choose. */
export function listSchemes(schemes: ReadonlyMap<string, SchemeModel>): readonly DeclaredScheme[] {
  return [...schemes.values()].map(({ name, kind, credential }) => ({
    name,
    kind,
    isSupported: credential.type !== "unsupported",
    ...(credential.type === "apiKey" && { key: { in: credential.in, name: credential.name } }),
  }));
}

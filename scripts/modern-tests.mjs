// Which test cases have nothing to do with the legacy era? Those that name nothing of it, and use no helper that does.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import ts from "typescript-6.0";

/** A case, or a declaration that it uses, that has one of these outside of comments has to do with the legacy era. */
const LEGACY_WORDS = [
  /legacy|\binitialize|2024-11-05|2025-03-26|2025-06-18|2025-11-25|mcp-session-id|last-event-id|sse-?pair|event-?store/i,
  /\bhandshakes?\b|event: endpoint|logging\/setLevel|resources\/(?:un)?subscribe|\bREVISIONS\b|\bERAS\b/,
];

/** Messages that servers, but not channels, refuse without the legacy era: batches, pings, and requests without metadata. */
const LEGACY_REQUESTS = /\bbatch(?:es)?\b|\bplain requests?\b|method"?: ?"ping"/;

/** Helpers for both eras. A case that uses their legacy half has to name it, so they do not make it a legacy case. */
const NEUTRAL_HELPERS = [
  "packages/client/test/scripted-server.ts",
  "packages/protocol/test/spec-data.ts",
  "packages/server/test/bindings/http/client.ts",
  "packages/server/test/raw-peer.ts",
  "packages/server/test/wire-client.ts",
];

/** Folders of tests of the legacy era. */
const LEGACY_FOLDERS = /(?:^|\/)test\/(?:legacy|spec\/202[45]-\d\d-\d\d)\//;

const CASES = new Set(["test", "it"]);
const SUITES = new Set(["describe"]);
const HOOKS = new Set(["beforeAll", "beforeEach", "afterAll", "afterEach"]);

/**
 * @typedef {object} ModernCases
 * @property {number} all how many cases the file has; a parametrized case counts once
 * @property {number} kept how many of them have nothing to do with the legacy era
 * @property {boolean} isModern whether anything is left to run, be it cases that a helper adds
 * @property {string} text the file without the others
 */

/**
 * @typedef {object} Scope
 * @property {string} file
 * @property {Map<string, boolean>} names whether the declaration of a name has to do with the legacy era
 */

/** Reads test files, and the helpers that they import, of one repository. */
export class ModernTests {
  /**
   * @readonly
   * @type {string}
   */
  #root;
  /**
   * @readonly
   * @type {Map<string, Map<string, boolean>>}
   */
  #scopes = new Map();

  /** @param {string} root */
  constructor(root) {
    this.#root = root;
  }

  /**
   * Splits the cases of a test file.
   *
   * @param {string} file path from the root, with slashes
   * @returns {ModernCases}
   */
  read(file) {
    const source = this.#parse(file);
    const all = countCases(source);
    if (LEGACY_FOLDERS.test(file)) return { all, kept: 0, isModern: false, text: "" };
    const names = this.#namesOf(file, source);
    /** @type {ts.Node[]} */
    const cut = [];
    const canStay = this.#cutFrom(source.statements, { file, names }, cut);
    if (!canStay) return { all, kept: 0, isModern: false, text: "" };
    const kept = all - cut.reduce((sum, node) => sum + countCases(node), 0);
    let { text } = source;
    for (const node of cut.toReversed()) text = text.slice(0, node.getStart()) + text.slice(node.getEnd());
    return { all, kept, isModern: kept > 0 || (all === 0 && cut.length === 0), text };
  }

  /**
   * Collects what has to be cut from a list of statements. Returns whether anything may stay: a hook of the legacy era
   * runs for every case beside it.
   *
   * @param {readonly ts.Statement[]} statements
   * @param {Scope} scope
   * @param {ts.Node[]} cut
   */
  #cutFrom(statements, scope, cut) {
    for (const statement of statements) {
      const words = calledWords(statement);
      if (HOOKS.has(words[0] ?? "") && isLegacy(statement, scope)) return false;
      const body = bodyOf(statement, words);
      if (body === undefined) {
        if (isLegacy(statement, scope) && !isHarmless(statement)) cut.push(statement);
        continue;
      }
      /** @type {ts.Node[]} */
      const inner = [];
      const nested = { file: scope.file, names: new Map(scope.names) };
      addDeclarations(body, nested, () => false);
      const isKept =
        !isLegacy(statement, scope, body) &&
        this.#cutFrom(body.statements, nested, inner) &&
        inner.reduce((sum, node) => sum + countCases(node), 0) < countCases(statement);
      cut.push(...(isKept ? inner : [statement]));
    }
    return true;
  }

  /**
   * @param {string} file
   * @param {ts.SourceFile} source
   * @returns {Map<string, boolean>}
   */
  #namesOf(file, source) {
    const known = this.#scopes.get(file);
    if (known !== undefined) return known;
    /** @type {Map<string, boolean>} */
    const names = new Map();
    this.#scopes.set(file, names);
    for (const statement of source.statements) {
      if (!ts.isImportDeclaration(statement)) continue;
      for (const [local, imported] of importedNames(statement)) {
        names.set(
          local,
          this.#isLegacyImport(file, /** @type {ts.StringLiteral} */ (statement.moduleSpecifier).text, imported),
        );
      }
    }
    addDeclarations(source, { file, names }, (path) => this.#isLegacyFile(file, path));
    return names;
  }

  /**
   * @param {string} file
   * @param {string} specifier
   * @param {string} name
   */
  #isLegacyImport(file, specifier, name) {
    if (/(?:^|\/)legacy\//.test(specifier)) return true;
    const path = this.#resolve(file, specifier);
    if (path === undefined) return LEGACY_WORDS.some((words) => words.test(name));
    if (NEUTRAL_HELPERS.includes(path)) return false;
    const source = this.#parse(path);
    // It cannot be loaded.
    if (
      source.statements.some(
        (each) => ts.isImportDeclaration(each) && each.moduleSpecifier.getText().includes("/legacy/"),
      )
    ) {
      return true;
    }
    return this.#namesOf(path, source).get(name) ?? false;
  }

  /**
   * Whether a program that a test starts has to do with the legacy era.
   *
   * @param {string} file
   * @param {string} path
   */
  #isLegacyFile(file, path) {
    const helper = this.#resolve(file, path);
    if (helper === undefined || NEUTRAL_HELPERS.includes(helper)) return false;
    return namesLegacy(this.#parse(helper));
  }

  /**
   * The helper that a relative path leads to, or `undefined` if it leads to none.
   *
   * @param {string} file
   * @param {string} specifier
   */
  #resolve(file, specifier) {
    if (!specifier.startsWith(".")) return undefined;
    const path = posix.join(dirname(file), specifier);
    return /(?:^|\/)test\//.test(path) && existsSync(join(this.#root, path)) ? path : undefined;
  }

  /** @param {string} file */
  #parse(file) {
    return ts.createSourceFile(file, readFileSync(join(this.#root, file), "utf8"), ts.ScriptTarget.Latest, true);
  }
}

/**
 * Notes for each declaration whether it has to do with the legacy era, by its own text or by what it uses.
 *
 * @param {ts.SourceFile | ts.Block} body
 * @param {Scope} scope
 * @param {(path: string) => boolean} isLegacyFile
 */
function addDeclarations(body, scope, isLegacyFile) {
  const declarations = body.statements.filter(
    (each) => !ts.isImportDeclaration(each) && declaredNames(each).length > 0,
  );
  for (const each of declarations) {
    const isOwn = namesLegacy(each) || stringsIn(each).some((text) => text.endsWith(".ts") && isLegacyFile(text));
    for (const name of declaredNames(each)) scope.names.set(name, isOwn);
  }
  // Until nothing changes: declarations may use those after them.
  for (let hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (const each of declarations) {
      for (const name of declaredNames(each)) {
        if (scope.names.get(name) === true || !isLegacy(each, scope)) continue;
        scope.names.set(name, true);
        hasChanged = true;
      }
    }
  }
}

/**
 * Whether a node, without its part `except`, names the legacy era or uses a declaration that does.
 *
 * @param {ts.Node} node
 * @param {Scope} scope
 * @param {ts.Node} [except]
 */
function isLegacy(node, scope, except) {
  return namesLegacy(node, except) || identifiersIn(node, except).some((name) => scope.names.get(name) === true);
}

/**
 * @param {ts.Node} node
 * @param {ts.Node} [except]
 */
function namesLegacy(node, except) {
  const text = textOf(node, except);
  if (node.getSourceFile().fileName.startsWith("packages/server/") && LEGACY_REQUESTS.test(text)) return true;
  return LEGACY_WORDS.some((words) => words.test(text));
}

/**
 * The text of a node without its comments, which all are on lines of their own.
 *
 * @param {ts.Node} node
 * @param {ts.Node} [except]
 */
function textOf(node, except) {
  const { text } = node.getSourceFile();
  const whole =
    except === undefined
      ? text.slice(node.getStart(), node.getEnd())
      : text.slice(node.getStart(), except.getStart()) + text.slice(except.getEnd(), node.getEnd());
  return whole
    .split("\n")
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .join("\n");
}

/**
 * @param {ts.Node} node
 * @param {ts.Node} [except]
 * @returns {string[]}
 */
function identifiersIn(node, except) {
  if (node === except) return [];
  // A member is no use of a declaration that has its name.
  if (ts.isPropertyAccessExpression(node)) return identifiersIn(node.expression, except);
  if (ts.isPropertyAssignment(node)) return identifiersIn(node.initializer, except);
  if (ts.isIdentifier(node)) return [node.text];
  return childrenOf(node).flatMap((child) => identifiersIn(child, except));
}

/**
 * @param {ts.Node} node
 * @returns {string[]}
 */
function stringsIn(node) {
  return ts.isStringLiteral(node) ? [node.text] : childrenOf(node).flatMap(stringsIn);
}

/** @param {ts.Node} node */
function childrenOf(node) {
  /** @type {ts.Node[]} */
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}

/**
 * @param {ts.Statement} statement
 * @returns {string[]}
 */
function declaredNames(statement) {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => identifiersIn(name));
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) || ts.isEnumDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

/**
 * Local names, and what each is called where it comes from. Types are left out: they do nothing.
 *
 * @param {ts.ImportDeclaration} statement
 * @returns {[string, string][]}
 */
function importedNames({ importClause: clause }) {
  if (clause === undefined || clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
  const { name, namedBindings: bindings } = clause;
  const named =
    bindings === undefined || ts.isNamespaceImport(bindings)
      ? []
      : bindings.elements
          .filter((each) => !each.isTypeOnly)
          .map((each) => [each.name.text, (each.propertyName ?? each.name).text]);
  return /** @type {[string, string][]} */ ([...(name === undefined ? [] : [[name.text, "default"]]), ...named]);
}

/**
 * The words of what a statement calls: `test.skipIf(…)(…)` has `test` and `skipIf`.
 *
 * @param {ts.Node} statement
 */
function calledWords(statement) {
  /** @type {string[]} */
  const words = [];
  let node = ts.isExpressionStatement(statement) ? statement.expression : undefined;
  if (node === undefined || !ts.isCallExpression(node)) return words;
  while (node !== undefined) {
    if (ts.isCallExpression(node)) node = node.expression;
    else if (ts.isTaggedTemplateExpression(node)) node = node.tag;
    else if (ts.isPropertyAccessExpression(node)) {
      words.unshift(node.name.text);
      node = node.expression;
    } else {
      if (ts.isIdentifier(node)) words.unshift(node.text);
      node = undefined;
    }
  }
  return words;
}

/**
 * The statements of a suite, or of a loop over cases.
 *
 * @param {ts.Statement} statement
 * @param {string[]} words
 * @returns {ts.Block | undefined}
 */
function bodyOf(statement, words) {
  if (ts.isForOfStatement(statement)) return ts.isBlock(statement.statement) ? statement.statement : undefined;
  if (!SUITES.has(words[0] ?? "") || !ts.isExpressionStatement(statement)) return undefined;
  const last = ts.isCallExpression(statement.expression) ? statement.expression.arguments.at(-1) : undefined;
  return last !== undefined && ts.isArrowFunction(last) && ts.isBlock(last.body) ? last.body : undefined;
}

/**
 * How many cases there are in a node. Calls such as `test.each` are part of a case, not one more.
 *
 * @param {ts.Node} node
 * @returns {number}
 */
function countCases(node) {
  if (CASES.has(calledWords(node)[0] ?? "")) return 1;
  return childrenOf(node).reduce((sum, child) => sum + countCases(child), 0);
}

/**
 * Functions and types of the legacy era may stay: nothing that stays calls them. Imports may, unless they lead to what is gone.
 *
 * @param {ts.Statement} statement
 */
function isHarmless(statement) {
  if (ts.isImportDeclaration(statement)) return !statement.moduleSpecifier.getText().includes("/legacy/");
  return (
    ts.isFunctionDeclaration(statement) || ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
  );
}

/** Finds an element of the page by its id. */
export function find<T extends Element = HTMLElement>(id: string, type?: new () => T): T {
  const element = document.getElementById(id);
  if (element === null || (type !== undefined && !(element instanceof type))) {
    throw new Error(`The page has no element ${id} of that kind.`);
  }
  return element as Element as T;
}

/** Makes an element with a text. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
  text = "",
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className !== "") element.className = className;
  if (text !== "") element.textContent = text;
  return element;
}

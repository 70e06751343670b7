import type { AnchorHTMLAttributes, ComponentChildren, JSX } from "preact";
import { navigate } from "./location.ts";

/** A link to another view. A click with a modifier opens it elsewhere, as links do. */
export function Link(
  props: { readonly href: string; readonly children: ComponentChildren } & AnchorHTMLAttributes,
): JSX.Element {
  const { href, children, ...rest } = props;
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}

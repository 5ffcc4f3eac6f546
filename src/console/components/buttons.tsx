/** Forms, and the buttons and links that look alike. The addresses are paths below the mount of the page. */
import type { PropsWithChildren } from "hono/jsx";
import { Say, useHref } from "./mount";

type FormProps = PropsWithChildren<{ action: string; class?: string }>;

export const PostForm = ({ action, class: name, children }: FormProps) => (
  <form method="post" action={useHref()(action)} class={name}>
    {children}
  </form>
);

/** A form whose fields become the query of the page. */
export const GetForm = ({ action, class: name, children }: FormProps) => (
  <form method="get" action={useHref()(action)} class={name}>
    {children}
  </form>
);

type ButtonKind = "main" | "plain" | "quiet" | "danger";

interface ButtonProps {
  kind?: ButtonKind;
  /** The accessible name, where the visible text alone is ambiguous. */
  label?: string;
}

/** `formaction` posts the form somewhere else than the other buttons. */
export function SubmitButton({
  kind = "main",
  label,
  formaction,
  children,
}: PropsWithChildren<ButtonProps & { formaction?: string }>) {
  const href = useHref();
  return (
    <button
      type="submit"
      class={`button ${kind}`}
      formaction={formaction === undefined ? undefined : href(formaction)}
      aria-label={label}
    >
      {children}
    </button>
  );
}

/** A button that posts to `action` without any fields. */
export const ActionButton = ({
  action,
  kind = "plain",
  label,
  children,
}: PropsWithChildren<ButtonProps & { action: string }>) => (
  <PostForm action={action} class="inline">
    <SubmitButton kind={kind} {...(label ? { label } : {})}>
      {children}
    </SubmitButton>
  </PostForm>
);

/** A link to a page below the mount, or to any address. */
export function LinkButton({
  to = "",
  href,
  kind = "plain",
  label,
  children,
}: PropsWithChildren<ButtonProps & ({ to: string; href?: never } | { to?: never; href: string })>) {
  const address = useHref()(to);
  return (
    <a class={`button ${kind}`} href={href ?? address} aria-label={label}>
      {children}
    </a>
  );
}

/** The end of a form: the button that sends it, and the link that leads back. */
export const FormButtons = ({
  kind = "main",
  cancel,
  children,
}: PropsWithChildren<Pick<ButtonProps, "kind"> & { cancel: string }>) => (
  <div class="row">
    <SubmitButton kind={kind}>{children}</SubmitButton>
    <LinkButton to={cancel}>
      <Say of="portal.cancel" />
    </LinkButton>
  </div>
);

/** Forms that post, and the buttons and links that look alike. */
import type { PropsWithChildren } from "hono/jsx";

export const PostForm = ({ action, class: name, children }: PropsWithChildren<{ action: string; class?: string }>) => (
  <form method="post" action={action} class={name}>
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
export const SubmitButton = ({
  kind = "main",
  label,
  formaction,
  children,
}: PropsWithChildren<ButtonProps & { formaction?: string }>) => (
  <button type="submit" class={`button ${kind}`} aria-label={label} formaction={formaction}>
    {children}
  </button>
);

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

export const LinkButton = ({
  href,
  kind = "plain",
  label,
  children,
}: PropsWithChildren<ButtonProps & { href: string }>) => (
  <a class={`button ${kind}`} href={href} aria-label={label}>
    {children}
  </a>
);

/** The end of a form: the button that sends it, and the link that leads back. */
export const FormButtons = ({
  kind = "main",
  cancel,
  children,
}: PropsWithChildren<Pick<ButtonProps, "kind"> & { cancel: string }>) => (
  <div class="row">
    <SubmitButton kind={kind}>{children}</SubmitButton>
    <LinkButton href={cancel}>Cancel</LinkButton>
  </div>
);

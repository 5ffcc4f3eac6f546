/** The small pieces that pages are made of. */
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Failure } from "./failure";

type BannerKind = "ok" | "bad" | "note";

/** A sentence above the page; a refusal is announced at once. */
export const Banner = ({ kind, children }: PropsWithChildren<{ kind: BannerKind }>) => (
  <div class={`banner ${kind}`} role={kind === "bad" ? "alert" : "status"}>
    {children}
  </div>
);

export const FailureBanner = ({ failure }: { failure: Failure | undefined }) =>
  failure ? <Banner kind="bad">{failure.message}</Banner> : null;

export const PostForm = ({ action, class: name, children }: PropsWithChildren<{ action: string; class?: string }>) => (
  <form method="post" action={action} class={name}>
    {children}
  </form>
);

type SubmitKind = "main" | "plain" | "quiet" | "danger";

/** `label` says more to a screen reader than the button shows. */
export const Submit = ({
  kind = "main",
  label,
  children,
}: PropsWithChildren<{ kind?: SubmitKind; label?: string }>) => (
  <button type="submit" class={`button ${kind}`} aria-label={label}>
    {children}
  </button>
);

/** A button that posts without fields. */
export const Action = ({
  action,
  kind = "plain",
  label,
  children,
}: PropsWithChildren<{ action: string; kind?: SubmitKind; label?: string }>) => (
  <PostForm action={action} class="inline">
    <Submit kind={kind} {...(label ? { label } : {})}>
      {children}
    </Submit>
  </PostForm>
);

export const LinkButton = ({
  href,
  kind = "plain",
  children,
}: PropsWithChildren<{ href: string; kind?: SubmitKind }>) => (
  <a class={`button ${kind}`} href={href}>
    {children}
  </a>
);

interface FieldProps {
  name: string;
  label: string;
  failure?: Failure | undefined;
  hint?: string;
  /** The label is for screen readers only. */
  unlabelled?: boolean;
}

/** Label, control, hint and error, tied together for screen readers. */
function Field({
  name,
  label,
  unlabelled,
  failure,
  hint,
  control,
}: FieldProps & { control: (props: object) => Child }) {
  const error = failure?.fields[name];
  const told = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(" ");
  const described = { ...(told ? { "aria-describedby": told } : {}), ...(error ? { "aria-invalid": "true" } : {}) };
  return (
    <div class="field">
      <label for={name} class={unlabelled ? "unseen" : undefined}>
        {label}
      </label>
      {control({ id: name, name, ...described })}
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldProps {
  type?: "text" | "email" | "password" | "search" | "url";
  value?: string;
  autocomplete?: string;
  inputmode?: "numeric";
  required?: boolean;
  minlength?: number;
  maxlength?: number;
  placeholder?: string;
  autofocus?: boolean;
}

export function TextField({ name, label, failure, hint, type = "text", ...rest }: TextFieldProps) {
  const frame = { name, label, failure, ...(hint ? { hint } : {}) };
  return <Field {...frame} control={(props) => <input {...props} type={type} {...rest} />} />;
}

interface TextAreaProps extends FieldProps {
  value: string;
  rows: number;
  class?: string;
}

export function TextArea({ value, rows, class: style, ...frame }: TextAreaProps) {
  return (
    <Field
      {...frame}
      control={(props) => (
        <textarea {...props} rows={rows} class={style} spellcheck={false}>
          {value}
        </textarea>
      )}
    />
  );
}

interface SelectProps extends FieldProps {
  value: string;
  options: readonly (readonly [value: string, label: string])[];
}

export function Select({ value, options, ...frame }: SelectProps) {
  return (
    <Field
      {...frame}
      control={(props) => (
        <select {...props}>
          {options.map(([option, label]) => (
            <option value={option} selected={option === value}>
              {label}
            </option>
          ))}
        </select>
      )}
    />
  );
}

interface ChecksProps {
  name: string;
  legend: string;
  values: readonly string[];
  options: readonly string[];
  failure?: Failure | undefined;
}

export function Checks({ name, legend, values, options, failure }: ChecksProps) {
  const error = failure?.fields[name];
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      {options.length === 0 && <p class="hint">Your role holds nothing to give away.</p>}
      {options.map((option) => (
        <label class="check">
          <input type="checkbox" name={name} value={option} checked={values.includes(option)} /> {option}
        </label>
      ))}
      {error && <p class="error">{error}</p>}
    </fieldset>
  );
}

const utc = (timeMs: number) => `${new Date(timeMs).toISOString().replace("T", " ").slice(0, 19)} UTC`;

/** A moment (Unix ms): in UTC, and by the script in the viewer's zone with the UTC on hover. */
export const Time = ({ at }: { at: number | string }) => {
  const timeMs = typeof at === "string" ? Date.parse(at) : at;
  return (
    <time datetime={new Date(timeMs).toISOString()} title={utc(timeMs)}>
      {utc(timeMs)}
    </time>
  );
};

export type Tone = "ok" | "bad" | "wait" | "calm";

export const Badge = ({ tone, children }: PropsWithChildren<{ tone: Tone }>) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** A text to be copied; the button comes to life with the script. */
export const Copyable = ({ text, label }: { text: string; label: string }) => (
  <span class="copyable">
    <code>{text}</code>
    <button type="button" class="button quiet" data-copy={text} aria-label={`Copy ${label}`} hidden>
      Copy
    </button>
  </span>
);

/** Tells that the script keeps what stands below fresh; hidden where there is no script. */
export const LiveMark = () => (
  <span class="small muted" data-scripted hidden>
    updates by itself
  </span>
);

/** What to do where there is nothing yet. */
export const Empty = ({ title, children }: PropsWithChildren<{ title: string }>) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

/** Tables that are wider than a phone scroll on their own, by keyboard too. */
export const Scroll = ({ label, children }: PropsWithChildren<{ label: string }>) => (
  <section class="scroll" tabindex={0} aria-label={label}>
    {children}
  </section>
);

/** Components that show something: banners, badges, times, texts to copy, empty states. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { iso } from "../../base/time";
import { Say, useTexts } from "./mount";

type BannerKind = "ok" | "bad" | "warn" | "note";

/** A message above the page. Screen readers announce an error at once. */
export const Banner = ({ kind, children }: PropsWithChildren<{ kind: BannerKind }>) => (
  <div class={`banner ${kind}`} role={kind === "bad" ? "alert" : "status"}>
    {children}
  </div>
);

export type Tone = "ok" | "bad" | "wait" | "calm";

export const Badge = ({ tone, children }: PropsWithChildren<{ tone: Tone }>) => (
  <span class={`badge ${tone}`}>{children}</span>
);

const utc = (timeMs: number) => `${iso(timeMs).replace("T", " ").slice(0, 19)} UTC`;

interface TimeProps {
  /** Unix ms or ISO 8601. */
  at: number | string;
  /** What the script shows: how long ago it is, or the date and the time. */
  show?: "age" | "moment";
}

/** A time in UTC. The script shows how long ago it is, with the time in the viewer's zone and in UTC as tooltip. */
export const Time = ({ at, show = "age" }: TimeProps) => {
  const timeMs = typeof at === "string" ? Date.parse(at) : at;
  return (
    <time datetime={iso(timeMs)} title={utc(timeMs)} data-show={show === "age" ? undefined : show}>
      {utc(timeMs)}
    </time>
  );
};

/** A time for a sentence, after "since" or "until": the script shows date and time in the viewer's zone. */
export const Moment = ({ at }: Pick<TimeProps, "at">) => <Time at={at} show="moment" />;

/** A text with a copy button. The script shows the button. */
export const Copyable = ({ text, label }: { text: string; label: string }) => (
  <span class="copyable">
    <code>{text}</code>
    <button
      type="button"
      class="button quiet"
      data-copy={text}
      aria-label={useTexts().say("copy.label", { what: label })}
      hidden
    >
      <Say of="copy.submit" />
    </button>
  </span>
);

/** Says that the script keeps the part below up to date; hidden without the script. */
export const LiveIndicator = () => (
  <span class="small muted" data-scripted hidden>
    <Say of="portal.live" />
  </span>
);

/** What to do when there is nothing to show yet. */
export const EmptyState = ({ title, children }: PropsWithChildren<{ title: Child }>) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

/**
 * Scrolls content that is wider or longer than its place, such as a table on a phone; the keyboard can scroll it too.
 */
export const ScrollArea = ({
  label,
  labelledBy,
  children,
}: PropsWithChildren<{ label?: string; labelledBy?: string }>) => (
  <section class="scroll" tabindex={0} aria-label={label} aria-labelledby={labelledBy}>
    {children}
  </section>
);

/** A part of a page under a heading. */
export const Card = ({ id, title, children }: PropsWithChildren<{ id: string; title: Child }>) => (
  <section class="card" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
);

/** The colours of a portal as variables of the console's style sheet. */
import { carriesWhiteText } from "../../base/brand";
import type { PortalTheme } from "../../base/schemas/portal-schemas";

type Colors = NonNullable<PortalTheme["colors"]>;

/** What the theme has no colour for. The style sheet has the same values. */
const ON_LIGHT = { ok: "#17693c", bad: "#b0281f", wait: "#7a5600" };
const ON_DARK = { ok: "#76d29b", bad: "#ff8f84", wait: "#e8c35c" };

const mixed = (percent: number, color: string) => `color-mix(in srgb, var(--${color}) ${percent}%, var(--surface))`;

/** The style sheet of these colours. They were checked when the link was made, so it is no more than a list of them. */
export function themeStyle({ background, surface, text, muted, accent, danger }: Colors): string {
  const page = background ?? surface;
  const isDark = page !== undefined && carriesWhiteText(page);
  const { ok, bad, wait } = isDark ? ON_DARK : ON_LIGHT;
  const onPage = page && {
    "color-scheme": isDark ? "dark" : "light",
    "--ok": ok,
    "--bad": bad,
    "--wait": wait,
    "--sunken": mixed(6, "text"),
    "--line": mixed(18, "text"),
    "--control": mixed(50, "text"),
    "--ok-soft": mixed(14, "ok"),
    "--bad-soft": mixed(14, "bad"),
    "--wait-soft": mixed(14, "wait"),
    "--note-soft": mixed(14, "accent"),
  };
  const chosen = {
    "--bg": background,
    "--surface": surface,
    "--text": text,
    "--muted": muted,
    "--accent": accent,
    "--on-accent": accent && (carriesWhiteText(accent) ? "#ffffff" : "#000000"),
    "--bad": danger,
  };
  const values = Object.entries({ ...onPage, ...withoutMissing(chosen) });
  return `:root { ${values.map(([name, value]) => `${name}: ${value};`).join(" ")} }`;
}

const withoutMissing = (values: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** The look of a portal as variables of the console's style sheet, which has the colours of both schemes. */
import { carriesWhiteText, legibleOn } from "../../base/brand";
import type { PortalTheme } from "../../base/schemas/portal-schemas";

type Scheme = NonNullable<PortalTheme["scheme"]>;

/** The cards of the style sheet, on which most links stand. */
const SURFACES: Readonly<Record<Scheme, string>> = { light: "#ffffff", dark: "#1b1d20" };

const mixed = (percent: number, color: string) => `color-mix(in srgb, var(--${color}) ${percent}%, var(--surface))`;

/** What is made of the colours of a page that has its own background. */
const ON_OWN_PAGE = {
  "--sunken": mixed(6, "text"),
  "--line": mixed(18, "text"),
  "--control": mixed(50, "text"),
  "--ok-soft": mixed(14, "ok"),
  "--bad-soft": mixed(14, "bad"),
  "--wait-soft": mixed(14, "wait"),
  "--note-soft": mixed(14, "accent"),
};

/** The style sheet of a theme. It was checked when the link was made, so it is no more than a list of colours. */
export function themeStyle({ scheme, colors = {} }: PortalTheme): string {
  const { background, surface, text, muted, accent, danger } = colors;
  const page = background ?? surface;
  const shown = scheme ?? (page === undefined ? undefined : carriesWhiteText(page) ? "dark" : "light");
  const values = {
    "color-scheme": shown,
    ...(page && ON_OWN_PAGE),
    "--bg": background,
    "--surface": surface,
    "--text": text,
    "--muted": muted,
    "--accent": accent,
    "--on-accent": accent && (carriesWhiteText(accent) ? "#ffffff" : "#000000"),
    "--link": accent && linkColor(accent, shown, surface ?? background),
    "--bad": danger,
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return `:root { ${given.map(([name, value]) => `${name}: ${value};`).join(" ")} }`;
}

/** The accent, as legible as a text must be where it stands: in both schemes, unless one is chosen. */
function linkColor(accent: string, scheme: Scheme | undefined, surface: string | undefined): string {
  if (scheme !== undefined) return legibleOn(surface ?? SURFACES[scheme], accent);
  return `light-dark(${legibleOn(SURFACES.light, accent)}, ${legibleOn(SURFACES.dark, accent)})`;
}

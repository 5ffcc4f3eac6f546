/** The name, the logo and the colour under which the service appears in the console and in mails. */
import * as z from "zod";

export interface Brand {
  name: string;
  /** Null: the name is shown instead. */
  logoUrl: string | null;
  /** `#rrggbb`, dark enough for white text. */
  color: string;
}

export const DEFAULT_COLOR = "#1d5aa8";
/** WCAG 2.2, success criterion 1.4.3. */
const MIN_CONTRAST = 4.5;

/** The relative luminance of `#rrggbb`, 0 to 1 (WCAG 2.2). */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(color.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours, 1 to 21 (WCAG 2.2). */
function contrastOf(one: string, other: string): number {
  const [light, dark] = [Math.max, Math.min].map((pick) => pick(luminance(one), luminance(other)) + 0.05);
  return (light ?? 1) / (dark ?? 1);
}

/** Whether white text is legible on `#rrggbb`. */
export const carriesWhiteText = (color: string) => contrastOf(color, "#ffffff") >= MIN_CONTRAST;

const MIXING_STEPS = 20;

/** The colour, mixed with as little white or black as makes a text in it legible on `surface`; all as `#rrggbb`. */
export function legibleOn(surface: string, color: string): string {
  const towards = carriesWhiteText(surface) ? 255 : 0;
  for (let step = 0; step < MIXING_STEPS; step += 1) {
    const mixed = mixedWith(color, towards, step / MIXING_STEPS);
    if (contrastOf(mixed, surface) >= MIN_CONTRAST) return mixed;
  }
  return towards === 255 ? "#ffffff" : "#000000";
}

const mixedWith = (color: string, towards: number, share: number): string =>
  `#${[1, 3, 5]
    .map((start) => Number.parseInt(color.slice(start, start + 2), 16))
    .map((part) => Math.round(part + (towards - part) * share))
    .map((part) => part.toString(16).padStart(2, "0"))
    .join("")}`;

export const BRAND_VARIABLES = {
  BRAND_NAME: {
    description: "The name of your product, in the console and in mails.",
    must: "be 1 to 64 characters on one line",
    schema: z
      .string()
      .trim()
      .max(64)
      .regex(/^[^\r\n]*$/)
      .transform((name) => name || "Postern")
      .prefault(""),
  },
  BRAND_LOGO_URL: {
    description: "The address of your logo, which the console and mails load. Empty: the name is shown.",
    must: "be an https URL, or empty",
    schema: z
      .literal("")
      .transform(() => null)
      .or(z.url({ protocol: /^https$/ }).max(1000))
      .prefault(""),
  },
  BRAND_COLOR: {
    description: "The colour of buttons and links, such as `#1d5aa8`. White text must be legible on it. Empty: blue.",
    must: `be a colour like ${DEFAULT_COLOR} with a contrast of at least ${MIN_CONTRAST} to white, or empty`,
    schema: z
      .literal("")
      .transform(() => DEFAULT_COLOR)
      .or(
        z
          .string()
          .toLowerCase()
          .regex(/^#[0-9a-f]{6}$/)
          .refine(carriesWhiteText),
      )
      .prefault(""),
  },
} as const;

/** How the form of a portal link shows and sets what the portal looks like. The schemas are in `portal-schemas.ts`. */
import { choiceField, type OptionField, type PlacedField, textField } from "../../base/option";

/** At its path in the API's input, which is also the name of its input. */
const placed = (path: string, fieldOf: (name: string) => OptionField): PlacedField => ({ path, field: fieldOf(path) });

const COLORS = {
  background: "Background",
  surface: "Cards",
  text: "Text",
  muted: "Less important text",
  accent: "Buttons and links",
  danger: "Errors",
};

export const THEME_FIELDS: readonly PlacedField[] = [
  placed("theme.title", (name) => textField({ name, label: "Title", maxlength: 80 })),
  placed("theme.logoUrl", (name) => textField({ name, label: "Logo", kind: "url", placeholder: "https://" })),
  placed("theme.wording", (name) =>
    choiceField(name, {
      label: "What it calls subscriptions",
      choices: [
        ["", "Webhooks", null],
        ["endpoints", "Endpoints", "endpoints"],
      ],
    }),
  ),
  placed("theme.scheme", (name) =>
    choiceField(name, {
      label: "Light or dark",
      choices: [
        ["", "What fits the background, else the device", null],
        ["light", "Light", "light"],
        ["dark", "Dark", "dark"],
      ],
    }),
  ),
  ...Object.entries(COLORS).map(([color, label]) =>
    placed(`theme.colors.${color}`, (name) =>
      textField({ name, label: `Colour: ${label}`, placeholder: "#1d5aa8", maxlength: 7 }),
    ),
  ),
];

/** Whom a connection lets in, and for how long: the field of each setting, and what the API is sent for its text. */
import type { ConnectionView } from "../../sign-on/connections/schemas";
import { Select, TextField } from "../components/fields";

interface Setting {
  label: string;
  hint?: string;
  /** Of a list: its values, each with its text. Without, the value is a number, words or a text. */
  options?: readonly (readonly [value: string, text: string])[];
  read(text: string): unknown;
}

const choice = (label: string, options: Record<string, string>, hint?: string): Setting => ({
  label,
  ...(hint === undefined ? {} : { hint }),
  options: Object.entries(options),
  read: (text) => text || null,
});
const yesOrNo = (label: string): Setting => ({
  ...choice(label, { no: "No", yes: "Yes" }),
  read: (text) => text === "yes",
});
const number = (label: string, hint: string): Setting => ({
  label,
  hint,
  read: (text) => (text === "" ? null : Number(text)),
});

const SETTINGS = {
  provisioning: choice("Who gets in", {
    jit: "Whom the provider signs on",
    directory: "Only whom the directory has",
    both: "Both: a first sign-on makes a member, and so does the directory",
  }),
  outsideDomains: choice("Addresses outside the proved domains", {
    refuse: "Are refused",
    mailCode: "Get in with a code that is mailed there",
  }),
  discovery: choice(
    "Whom a typed address leads here",
    { known: "Browsers that have signed on before", domain: "Everybody with an address of a proved domain" },
    "Everybody: strangers learn from it whose domain is yours, and that you use this service.",
  ),
  "roles.when": choice("When the rules give roles", { every: "At each sign-on", first: "At the first sign-on alone" }),
  "session.hours": number("Hours until a session ends", "Refreshed or not; at most 2,160."),
  "session.maxAgeSeconds": number(
    "Seconds since the sign-in at the provider",
    "At most 86,400: who signed in there longer ago must do so again. Empty: however long ago it was.",
  ),
  "session.acrValues": {
    label: "Ways to sign in there (acr)",
    hint: "At most five, with spaces between them; the provider must say that one of them was used. Empty: any.",
    read: (text) => text.split(/\s+/).filter(Boolean),
  },
  "session.requireMfa": yesOrNo("Only with a second factor there"),
  "session.trustMfa": yesOrNo("A second factor there counts as one here"),
} satisfies Record<string, Setting>;

export type AccessName = keyof typeof SETTINGS;
export const ACCESS_NAMES = Object.keys(SETTINGS) as AccessName[];
export type AccessValues = Record<AccessName, string>;

const settingOf = (name: AccessName): Setting => SETTINGS[name];

/** The text that a setting has in the form. */
export function accessText(view: ConnectionView, name: AccessName): string {
  const value = name.split(".").reduce<unknown>((at, key) => at?.[key as keyof typeof at], view);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value.join(" ") : String(value ?? "");
}

/** What the API is sent for the texts. */
export function accessIn(values: AccessValues) {
  const within = (prefix: string) =>
    Object.fromEntries(
      ACCESS_NAMES.filter((name) => name.startsWith(prefix)).map((name) => [
        name.slice(prefix.length),
        settingOf(name).read(values[name].trim()),
      ]),
    );
  const { provisioning, outsideDomains, discovery } = within("");
  return { provisioning, outsideDomains, discovery, roles: within("roles."), session: within("session.") };
}

export const AccessFields = ({ values }: { values: AccessValues }) => (
  <>
    {ACCESS_NAMES.map((name) => {
      const { label, hint, options, read: _ } = settingOf(name);
      const field = { name, label, value: values[name], ...(hint === undefined ? {} : { hint }) };
      return options ? <Select {...field} options={options} /> : <TextField {...field} />;
    })}
  </>
);

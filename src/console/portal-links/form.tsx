/** The form for a new portal link: what it may do, how long it works, how it looks, and where it leads back to. */
import { PERMISSION_TEXTS, type Permission } from "../../base/schemas/roles";
import { PostForm, SubmitButton } from "../components/buttons";
import { CheckboxGroup, Select, TextField } from "../components/fields";
import { useFailure } from "../components/shown-failure";
import type { Form } from "../http/form";

/** The fields as text. Those of the theme are by their paths in the API's input. */
export interface PortalLinkValues {
  permissions: string[];
  ttlSeconds: string;
  returnUrl: string;
  look: Readonly<Record<string, string>>;
}

export const NEW_LINK: PortalLinkValues = {
  permissions: ["webhook.read"],
  ttlSeconds: "3600",
  returnUrl: "",
  look: {},
};

const PERMISSIONS = (Object.entries(PERMISSION_TEXTS) as [Permission, string][]).filter(([permission]) =>
  permission.startsWith("webhook."),
);
const LIFETIMES = [
  ["900", "15 minutes"],
  ["3600", "An hour"],
  ["86400", "A day"],
] as const;
const WORDINGS = [
  ["", "Webhooks"],
  ["endpoints", "Endpoints"],
] as const;
const COLORS = [
  ["background", "Background"],
  ["surface", "Cards"],
  ["text", "Text"],
  ["muted", "Less important text"],
  ["accent", "Buttons and links"],
  ["danger", "Errors"],
] as const;

const OF_THEME = ["title", "logoUrl", "wording"];
const OF_COLORS = COLORS.map(([name]) => name);

export const readValues = (sent: Form): PortalLinkValues => ({
  ...sent.texts("ttlSeconds", "returnUrl"),
  permissions: sent.list("permissions"),
  look: sent.texts(...OF_THEME.map(inTheme), ...OF_COLORS.map(inColors)),
});

/** What the API takes: only what is filled in. */
export function inputOf({ permissions, ttlSeconds, returnUrl, look }: PortalLinkValues) {
  const colors = filled(OF_COLORS, (name) => look[inColors(name)]);
  const theme = { ...filled(OF_THEME, (name) => look[inTheme(name)]), ...(isEmpty(colors) ? {} : { colors }) };
  return {
    permissions,
    ttlSeconds: Number(ttlSeconds),
    ...(isEmpty(theme) ? {} : { theme }),
    ...(returnUrl === "" ? {} : { returnUrl }),
  };
}

function inTheme(name: string): string {
  return `theme.${name}`;
}

function inColors(name: string): string {
  return inTheme(`colors.${name}`);
}

const filled = (names: readonly string[], textOf: (name: string) => string | undefined) =>
  Object.fromEntries(names.map((name) => [name, textOf(name) ?? ""]).filter(([, text]) => text !== ""));

const isEmpty = (members: object): boolean => Object.keys(members).length === 0;

interface FormProps {
  values: PortalLinkValues;
}

export const PortalLinkForm = ({ values }: FormProps) => (
  <PostForm action="/portal-links">
    <CheckboxGroup name="permissions" legend="The link may" values={values.permissions} options={PERMISSIONS} />
    <Select name="ttlSeconds" label="Works for" value={values.ttlSeconds} options={LIFETIMES} />
    <TextField
      name="returnUrl"
      label="Where “Back” leads (optional)"
      type="url"
      value={values.returnUrl}
      placeholder="https://shop.example.com/settings"
    />
    <Look values={values} />
    <SubmitButton>Make link</SubmitButton>
  </PostForm>
);

/** A closed section, unless something in it is set or wrong. */
function Look({ values: { look } }: FormProps) {
  const isOpen =
    Object.values(look).some((text) => text !== "") ||
    Object.keys(useFailure()?.fields ?? {}).some((path) => path.startsWith("theme."));
  const shared = (path: string) => ({ name: path, value: look[path] ?? "" });
  return (
    <details class="section" open={isOpen}>
      <summary>How it looks</summary>
      <TextField {...shared(inTheme("title"))} label="Title" maxlength={80} />
      <TextField {...shared(inTheme("logoUrl"))} label="Logo" type="url" placeholder="https://" />
      <Select {...shared(inTheme("wording"))} label="What it calls subscriptions" options={WORDINGS} />
      {COLORS.map(([name, label]) => (
        <TextField {...shared(inColors(name))} label={`Colour: ${label}`} placeholder="#1d5aa8" maxlength={7} />
      ))}
    </details>
  );
}

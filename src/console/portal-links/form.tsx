/** The form for a new portal link: what it may do, how long it works, how it looks, and where it leads back to. */
import { inputNames, type Texts, valuesIn, withoutDefaults } from "../../base/option";
import { PERMISSION_TEXTS, type Permission } from "../../base/schemas/roles";
import { THEME_FIELDS } from "../../identity/portal/theme-fields";
import { PostForm, SubmitButton } from "../components/buttons";
import { CheckboxGroup, Select, TextField } from "../components/fields";
import { OptionInputs } from "../components/option-input";
import { useFailure } from "../components/shown-failure";
import type { Form } from "../http/form";

/** The fields as text. Those of the theme are by their paths in the API's input. */
export interface PortalLinkValues {
  permissions: string[];
  ttlSeconds: string;
  returnUrl: string;
  look: Texts;
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

export const readValues = (sent: Form): PortalLinkValues => ({
  ...sent.texts("ttlSeconds", "returnUrl"),
  permissions: sent.list("permissions"),
  look: sent.given(inputNames(THEME_FIELDS)),
});

/** What the API takes: only what is filled in. */
export const inputOf = ({ permissions, ttlSeconds, returnUrl, look }: PortalLinkValues) => ({
  permissions,
  ttlSeconds: Number(ttlSeconds),
  ...withoutDefaults(valuesIn(THEME_FIELDS, look)),
  ...(returnUrl === "" ? {} : { returnUrl }),
});

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
  return (
    <details class="section" open={isOpen}>
      <summary>How it looks</summary>
      <OptionInputs of={THEME_FIELDS} texts={look} />
    </details>
  );
}

/** The form that registers and changes an API that takes tokens of apps. The API changes what it does not have. */
import { API_RESOURCE } from "../../../oauth/resources/keys";
import type { ResourceView } from "../../../oauth/resources/schemas";
import { FormButtons, PostForm } from "../../components/buttons";
import { Select, TextArea, TextField } from "../../components/fields";
import { NarrowPage } from "../../components/narrow-page";
import type { AppsPlace } from "../place";

/** What is typed, by the fields of the API; a scope a line. */
export const API_FIELDS = ["name", "identifier", "scopes", "unlisted", "forTenants", "enabled"] as const;
export type ApiValues = Record<(typeof API_FIELDS)[number], string>;

export const NEW_API: ApiValues = {
  ...{ name: "", identifier: "", scopes: "", unlisted: "false", forTenants: "false", enabled: "true" },
};

export const valuesOf = ({ name, identifier, scopes, unlisted, forTenants, enabled }: ResourceView): ApiValues => ({
  name,
  identifier,
  scopes: scopes.map((scope) => `${scope.name}: ${scope.description}`).join("\n"),
  unlisted: String(unlisted),
  forTenants: String(forTenants),
  enabled: String(enabled),
});

/** As the API is sent it. Scopes keep what the form does not show of those that are there. */
export function inputOf(values: ApiValues, { section }: AppsPlace, present: ResourceView["scopes"] = []) {
  return {
    name: values.name,
    identifier: values.identifier.trim(),
    scopes: scopesIn(values.scopes, present),
    ...reachOf(values, section),
  };
}

/** Who gets its tokens. */
const reachOf = ({ unlisted, forTenants }: ApiValues, section: AppsPlace["section"]) => ({
  unlisted: unlisted === "true",
  ...(section === "operator" ? { forTenants: forTenants === "true" } : {}),
});

/** What can be changed of an API. */
export const changeIn = (values: ApiValues, place: AppsPlace, { id, scopes }: ResourceView) => ({
  ...(id === API_RESOURCE ? reachOf(values, place.section) : inputOf(values, place, scopes)),
  enabled: values.enabled !== "false",
});

function scopesIn(text: string, present: ResourceView["scopes"]) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [, name = "", description = ""] = line.match(/^\s*(\S*?)(?::\s*(.*?))?\s*$/) ?? [];
    return { ...present.find((scope) => scope.name === name), name, description };
  });
}

const REACH = [
  ["false", "Registered apps that name it"],
  ["true", "Apps that nobody has registered too"],
] as const;
const TENANTS = [
  ["false", "No"],
  ["true", "Yes"],
] as const;
const STATES = [
  ["true", "On"],
  ["false", "Off: it gets no tokens"],
] as const;

interface ApiFormProps {
  title: string;
  action: string;
  values: ApiValues;
  /** Of a registered one. */
  id?: string;
  place: AppsPlace;
}

export const ApiForm = ({ title, action, values, id, place }: ApiFormProps) => (
  <NarrowPage title={title} trail={place.above}>
    <PostForm action={action} class="card">
      {id === API_RESOURCE ? null : <Settings values={values} isProven={place.section === "security"} />}
      <Select name="unlisted" label="Its tokens get" value={values.unlisted} options={REACH} />
      {place.section === "operator" ? (
        <Select name="forTenants" label="Apps of tenants too" value={values.forTenants} options={TENANTS} />
      ) : null}
      {id === undefined ? null : <Select name="enabled" label="The API is" value={values.enabled} options={STATES} />}
      <FormButtons cancel={place.here}>{id === undefined ? "Register the API" : "Save"}</FormButtons>
    </PostForm>
  </NarrowPage>
);

/** `isProven`: its document must name this service. */
const Settings = ({ values, isProven }: { values: ApiValues; isProven: boolean }) => (
  <>
    <TextField name="name" label="Name" value={values.name} hint="Shown to people." required maxlength={64} />
    <TextField
      name="identifier"
      label="URL"
      value={values.identifier}
      hint={
        isProven
          ? "The audience of its tokens. Its RFC 9728 document must name it, and this service."
          : "The audience of its tokens."
      }
      required
      maxlength={256}
    />
    <TextArea
      name="scopes"
      label="Scopes"
      value={values.scopes}
      rows={4}
      class="mono"
      hint="One a line, with what people read who are asked: notes.read: Read your notes"
    />
  </>
);

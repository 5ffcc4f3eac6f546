/** The form that registers and changes an app. What it does not have is changed by the API. */
import type { ClientView } from "../../../oauth/clients/schemas";
import { FormButtons, LinkButton, PostForm } from "../../components/buttons";
import { Card, Copyable, Moment } from "../../components/display";
import { Select, TextArea, TextField } from "../../components/fields";
import { NarrowPage } from "../../components/narrow-page";
import type { AppsPlace } from "../place";

/** What is typed, by the fields of the API; several in a field stand one a line. */
export const FIELDS = [
  "name",
  "type",
  "redirectUrls",
  "postLogoutUrls",
  "backchannelLogoutUrl",
  "initiateLoginUrl",
  "logoUrl",
  "privacyUrl",
  "termsUrl",
  "consent",
  "tenants",
  "acr",
  "enabled",
] as const;
export type ClientValues = Record<(typeof FIELDS)[number], string>;

export const NEW_CLIENT: ClientValues = {
  ...{ name: "", type: "web", redirectUrls: "", postLogoutUrls: "", backchannelLogoutUrl: "", initiateLoginUrl: "" },
  ...{ logoUrl: "", privacyUrl: "", termsUrl: "", consent: "ask", tenants: "", acr: "", enabled: "true" },
};

const linesOf = (text: string) => text.split(/\s+/).filter((line) => line !== "");
const orNull = (text: string) => (text === "" ? null : text);

/** As the API is sent it. A tenant's app asks everybody, and is for that tenant. */
export function inputOf({ type: _, enabled: __, ...values }: ClientValues, { section }: AppsPlace) {
  const { name, consent, acr, tenants, redirectUrls, postLogoutUrls, ...urls } = values;
  return {
    ...{ name, acr: orNull(acr) },
    ...(section === "operator" ? { consent, tenants: linesOf(tenants).length === 0 ? null : linesOf(tenants) } : {}),
    redirectUrls: linesOf(redirectUrls),
    postLogoutUrls: linesOf(postLogoutUrls),
    ...Object.fromEntries(Object.entries(urls).map(([field, url]) => [field, orNull(url.trim())])),
  };
}

export const valuesOf = (client: ClientView): ClientValues => ({
  name: client.name,
  type: client.type,
  redirectUrls: client.redirectUrls.join("\n"),
  postLogoutUrls: client.postLogoutUrls.join("\n"),
  backchannelLogoutUrl: client.backchannelLogoutUrl ?? "",
  initiateLoginUrl: client.initiateLoginUrl ?? "",
  logoUrl: client.logoUrl ?? "",
  privacyUrl: client.privacyUrl ?? "",
  termsUrl: client.termsUrl ?? "",
  consent: client.consent,
  tenants: (client.tenants ?? []).join("\n"),
  acr: client.acr ?? "",
  enabled: String(client.enabled),
});

const KINDS = [
  ["web", "A web app, which keeps a secret"],
  ["native", "A program on people's devices, which cannot keep one"],
] as const;
const CONSENTS = [
  ["ask", "Whether the app may know who they are"],
  ["skip", "Nothing: it is an app of your own"],
] as const;
const LEVELS = [
  ["", "What the tenant requires"],
  ["mfa", "A second factor"],
  ["phr", "A passkey"],
] as const;
const STATES = [
  ["true", "On"],
  ["false", "Off: unknown to everybody, and its tokens have ended"],
] as const;

interface ClientFormProps {
  title: string;
  action: string;
  values: ClientValues;
  /** Of a registered app; its kind stays. */
  id?: string;
  place: AppsPlace;
}

const Id = ({ id }: { id: string }) => (
  <p>
    Client ID: <Copyable text={id} label="the ID" />
  </p>
);

export const ClientForm = ({ title, action, values, id, place }: ClientFormProps) => (
  <NarrowPage title={title} trail={place.above}>
    <PostForm action={action} class="card">
      {id === undefined ? null : <Id id={id} />}
      <TextField name="name" label="Name" value={values.name} hint="Shown to people." required maxlength={64} />
      {id === undefined ? <Select name="type" label="Kind" value={values.type} options={KINDS} /> : null}
      <Urls name="redirectUrls" label="Redirect URLs" value={values.redirectUrls} hint="Where it gets its codes." />
      <Urls
        name="postLogoutUrls"
        label="URLs after a sign-out"
        value={values.postLogoutUrls}
        hint="Where people may go once they have signed out."
      />
      <Link name="backchannelLogoutUrl" label="Back-channel logout URL" values={values} />
      <Link name="initiateLoginUrl" label="URL that begins a sign-in" values={values} />
      <Link name="logoUrl" label="Logo" values={values} />
      <Link name="privacyUrl" label="Privacy policy" values={values} />
      <Link name="termsUrl" label="Terms of service" values={values} />
      {place.section === "operator" ? <OfPlatform values={values} /> : null}
      <Select name="acr" label="A sign-in needs" value={values.acr} options={LEVELS} />
      {id === undefined ? null : <Select name="enabled" label="The app is" value={values.enabled} options={STATES} />}
      <FormButtons cancel={place.here}>{id === undefined ? "Register the app" : "Save"}</FormButtons>
    </PostForm>
  </NarrowPage>
);

/** What an app of a tenant has no choice of. */
const OfPlatform = ({ values }: { values: ClientValues }) => (
  <>
    <Select name="consent" label="People are asked" value={values.consent} options={CONSENTS} />
    <TextArea
      name="tenants"
      label="Only members of these tenants"
      value={values.tenants}
      rows={2}
      class="mono"
      hint="One a line: its ID, or ext: and your own ID. Empty: of all tenants."
    />
  </>
);

const Urls = (field: { name: string; label: string; value: string; hint: string }) => (
  <TextArea {...field} rows={3} class="mono" hint={`${field.hint} One a line, compared as text.`} />
);

const Link = ({ name, label, values }: { name: keyof ClientValues; label: string; values: ClientValues }) => (
  <TextField name={name} label={label} value={values[name]} type="url" maxlength={512} />
);

export interface IssuedClientView {
  id: string;
  name: string;
  /** Missing for an app without one. */
  secret?: string | undefined;
  /** ISO 8601; missing unless the former secret still works. */
  previousExpiresAt?: string | undefined;
}

/** The only page that shows a secret. */
export const IssuedClient = ({
  id,
  name,
  secret,
  previousExpiresAt,
  place,
}: IssuedClientView & { place: AppsPlace }) => (
  <NarrowPage title={name} trail={place.above}>
    <Card id="issued" title={secret ? "Copy the secret now: it will not be shown again" : "The app is registered"}>
      <Id id={id} />
      {secret ? (
        <p>
          Secret: <Copyable text={secret} label="the secret" />
        </p>
      ) : null}
      {previousExpiresAt ? (
        <p>
          The former secret works until <Moment at={previousExpiresAt} />.
        </p>
      ) : null}
      <p class="muted">
        <a href="/docs/sign-in-for-apps">Sign-in for apps</a> says what the app does with them.
      </p>
      <LinkButton to={place.here} kind="main">
        {secret ? "I have copied it" : "Go on"}
      </LinkButton>
    </Card>
  </NarrowPage>
);

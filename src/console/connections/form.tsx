/** The forms of a connection: a new one, and all of its settings. */
import type { ConnectionProvider } from "../../base/schemas/connection-settings";
import { roleNames } from "../../base/schemas/roles";
import type { RolesPreview } from "../../directory/groups/schemas";
import { PROVIDER_RECIPES } from "../../sign-on/connections/recipes";
import { FormButtons, PostForm } from "../components/buttons";
import { Select, type SelectProps, TextArea, TextField, type TextFieldProps } from "../components/fields";
import { useIsSetup } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { AccessFields } from "./access";
import { HERE } from "./list";
import { PreviewRoles } from "./roles-preview";
import type { ConnectionValues } from "./values";

interface FormProps {
  provider: ConnectionProvider;
  values: ConnectionValues;
}

export const NewConnectionPage = ({ provider, values }: FormProps) => (
  <NarrowPage
    title={`New connection: ${PROVIDER_RECIPES[provider].title}`}
    trail={{ [HERE]: "Single sign-on", [`${HERE}/new`]: "New connection" }}
  >
    <PostForm action={`${HERE}/new/${provider}`} class="card">
      <p>Save it with a name first: the next page shows the redirect URI to enter at the provider.</p>
      <Basics provider={provider} values={values} isNew />
      <FormButtons cancel={HERE}>Create connection</FormButtons>
    </PostForm>
  </NarrowPage>
);

interface OfValues {
  of: ConnectionValues;
  name: keyof ConnectionValues;
}

/** A field with the value of its name. */
export const Text = ({ of, ...field }: OfValues & Omit<TextFieldProps, "value" | "name">) => (
  <TextField {...field} value={of[field.name]} />
);

const Choice = ({ of, ...field }: OfValues & Omit<SelectProps, "value" | "name">) => (
  <Select {...field} value={of[field.name]} />
);

const SECRET_HINT = "It is stored encrypted and never shown again.";

const Basics = ({ provider, values, isNew = false }: FormProps & { isNew?: boolean }) => (
  <>
    <Text of={values} name="name" label="Name" required maxlength={64} />
    <Text
      of={values}
      name="oidc.issuer"
      label="Issuer"
      type="url"
      maxlength={512}
      {...(PROVIDER_RECIPES[provider].issuer === "" ? {} : { hint: `Such as ${PROVIDER_RECIPES[provider].issuer}` })}
    />
    <Text of={values} name="oidc.clientId" label="Client ID" maxlength={512} autocomplete="off" />
    <TextField
      name="oidc.clientSecret"
      label="Client secret"
      type="password"
      value=""
      maxlength={1024}
      autocomplete="off"
      hint={isNew ? SECRET_HINT : `${SECRET_HINT} Empty: the one that is stored stays.`}
    />
  </>
);

export interface EditProps {
  id: string;
  savedName: string;
  values: ConnectionValues;
  /** What the rules would change, if a directory has people to count, and somebody has asked. */
  preview: { counted: RolesPreview | undefined } | null;
}

export const EditConnection = ({ id, savedName, provider, values, preview }: EditProps & FormProps) => (
  <NarrowPage title="Edit connection" trail={{ [HERE]: "Single sign-on", [`${HERE}/${id}`]: savedName }}>
    <PostForm action={`${HERE}/${id}`} class="card">
      <Basics provider={provider} values={values} />
      <Choice
        of={values}
        name="oidc.clientAuth"
        label="How this service proves itself"
        options={[
          ["secret", "With the client secret"],
          ["private_key_jwt", "With a key of its own"],
        ]}
      />
      <ClaimNames values={values} />
      {!useIsSetup() && <OfMembers values={values} />}
      <FormButtons cancel={`${HERE}/${id}`}>Save changes</FormButtons>
      {preview && <PreviewRoles action={`${HERE}/${id}/roles/preview`} {...preview} />}
    </PostForm>
  </NarrowPage>
);

/** Which roles they get and how long their sessions last: for the owners to say. */
export const OfMembers = ({ values }: Pick<FormProps, "values">) => (
  <>
    <Roles values={values} />
    <AccessFields values={values} />
  </>
);

const ClaimNames = ({ values }: Pick<FormProps, "values">) => (
  <>
    <Text of={values} name="oidc.scopes" label="Scopes" maxlength={512} />
    <Choice
      of={values}
      name="attributes.subject"
      label="Claim that names the person for good"
      options={[
        ["sub", "sub"],
        ["oid", "oid (Entra)"],
      ]}
      hint="Another issuer or another claim begins anew: whom the connection knows counts no more."
    />
    <NameFields values={values} of="Claim" />
  </>
);

/** What the provider calls what it says, as claims or as attributes. */
export const NameFields = ({ values, of }: Pick<FormProps, "values"> & { of: "Claim" | "Attribute" }) => (
  <>
    <Text of={values} name="attributes.email" label={`${of} with the address`} maxlength={100} />
    <Text of={values} name="attributes.name" label={`${of} with the name`} maxlength={100} />
    <Text of={values} name="attributes.groups" label={`${of} with the groups`} maxlength={100} />
  </>
);

const RULES_HINT =
  "One a line, the first that fits counts: “admin: Admins” for a group, “developer: team = blue” for a claim.";

export const Roles = ({ values, hint = RULES_HINT }: Pick<FormProps, "values"> & { hint?: string }) => (
  <>
    <Choice
      of={values}
      name="roles.default"
      label="Role without a rule"
      options={[
        ["", "None: they do not get in"],
        ...roleNames()
          .filter((role) => role !== "owner")
          .map((role) => [role, role] as const),
      ]}
    />
    <TextArea name="roles.rules" label="Rules" rows={4} value={values["roles.rules"]} hint={hint} />
  </>
);

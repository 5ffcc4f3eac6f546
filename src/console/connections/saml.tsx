/** Forms and facts of a connection by SAML 2.0. */
import { CONNECTION_PROVIDERS } from "../../base/schemas/connection-settings";
import { PROVIDER_RECIPES } from "../../sign-on/connections/recipes";
import { SAML_ADDRESSES, SAML_RECIPES } from "../../sign-on/connections/saml-recipes";
import type { ConnectionView } from "../../sign-on/connections/schemas";
import { FormButtons, PostForm } from "../components/buttons";
import { Card, Copyable, Time } from "../components/display";
import { type Fact, FactList } from "../components/facts";
import { Select, TextArea } from "../components/fields";
import { useIsSetup } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { type EditProps, NameFields, OfMembers, Text } from "./form";
import { HERE } from "./list";
import { PreviewRoles } from "./roles-preview";
import type { ConnectionValues } from "./values";

/** Where the form is in which its provider would be chosen. */
export const BY_SAML = "saml";

interface FormProps {
  values: ConnectionValues;
}

export const NewSamlPage = ({ values }: FormProps) => (
  <NarrowPage title="New connection: SAML 2.0" trail={{ [HERE]: "Single sign-on", [`${HERE}/new`]: "New connection" }}>
    <PostForm action={`${HERE}/new/${BY_SAML}`} class="card">
      <p>Save it with a name first: the next page shows what to enter at the provider.</p>
      <Basics values={values} />
      <FormButtons cancel={HERE}>Create connection</FormButtons>
    </PostForm>
  </NarrowPage>
);

const Basics = ({ values }: FormProps) => (
  <>
    <Text of={values} name="name" label="Name" required maxlength={64} />
    <Select
      name="provider"
      label="Provider"
      value={values.provider || "other"}
      options={CONNECTION_PROVIDERS.map((one) => [one, PROVIDER_RECIPES[one].title])}
    />
    <Text
      of={values}
      name="saml.metadataUrl"
      label="Metadata URL"
      type="url"
      maxlength={2048}
      hint="Read once, when you save. It fills in the fields below."
    />
    <TextArea
      name="saml.metadata"
      label="Or metadata"
      rows={4}
      value={values["saml.metadata"]}
      hint="The XML that the provider shows or lets you download."
    />
    <Text of={values} name="saml.entityId" label="Entity ID of the provider" maxlength={1024} />
    <Text of={values} name="saml.ssoUrl" label="Sign-on URL" type="url" maxlength={2048} hint="HTTP-Redirect." />
    <TextArea
      name="saml.certificates"
      label="Certificates"
      rows={4}
      value={values["saml.certificates"]}
      hint="PEM. Two while a new one takes the place of the old: change them without a new test."
    />
  </>
);

export const EditSaml = ({ id, savedName, values, preview }: EditProps) => (
  <NarrowPage title="Edit connection" trail={{ [HERE]: "Single sign-on", [`${HERE}/${id}`]: savedName }}>
    <PostForm action={`${HERE}/${id}`} class="card">
      <p class="small">
        Another entity ID or sign-on URL is another provider: whom the connection knows counts no more.
      </p>
      <Basics values={values} />
      <NameFields values={values} of="Attribute" />
      {!useIsSetup() && <OfMembers values={values} />}
      <FormButtons cancel={`${HERE}/${id}`}>Save changes</FormButtons>
      {preview && <PreviewRoles action={`${HERE}/${id}/roles/preview`} {...preview} />}
    </PostForm>
  </NarrowPage>
);

interface ShownProps {
  connection: ConnectionView;
}

export const AtSamlProvider = ({ connection: { provider, serviceProvider } }: ShownProps) => (
  <Card id="at-provider" title={`At ${PROVIDER_RECIPES[provider].title}`}>
    <ol class="steps">
      {SAML_RECIPES[provider].map(({ text, addresses = [], texts = {} }) => (
        <li>
          {text}
          {addresses.map((name) => (
            <div>
              <Copyable text={serviceProvider?.[name] ?? ""} label={`the ${SAML_ADDRESSES[name]}`} />
            </div>
          ))}
          {Object.entries(texts).map(([label, value]) => (
            <div>
              <Copyable text={value} label={label} />
            </div>
          ))}
        </li>
      ))}
    </ol>
    <FactList
      facts={[["Our metadata", <Copyable text={serviceProvider?.metadataUrl ?? ""} label="the metadata URL" />]]}
    />
    <p class="small">
      <a href="/docs/sign-on-saml">Step by step</a>
    </p>
  </Card>
);

/** What is about the provider, in a list of facts. */
export const samlFacts = ({ saml }: ConnectionView): readonly Fact[] => [
  ["Entity ID", saml?.entityId ?? "none yet", "break"],
  ["Sign-on URL", saml?.ssoUrl ?? "none yet", "break"],
  ...(saml?.certificates ?? []).map(
    ({ notAfter, fingerprint }) =>
      [
        "Certificate",
        <>
          ends <Time at={notAfter} />
          <div class="small break">SHA-256 {fingerprint}</div>
        </>,
      ] as const,
  ),
];

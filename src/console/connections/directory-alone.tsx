/** Forms and facts of a connection that is a directory alone, through which nobody signs on. */
import type { ConnectionView } from "../../sign-on/connections/schemas";
import { FormButtons, PostForm } from "../components/buttons";
import { Copyable, Time } from "../components/display";
import { FactList } from "../components/facts";
import { TextField } from "../components/fields";
import { useIsSetup } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { type EditProps, Roles } from "./form";
import { HERE } from "./list";
import { PreviewRoles } from "./roles-preview";
import type { ConnectionValues } from "./values";

/** Where the form is in which its provider would be chosen. */
export const DIRECTORY = "directory";

const Name = ({ values }: { values: ConnectionValues }) => (
  <TextField name="name" label="Name" value={values.name} required maxlength={64} />
);

export const NewDirectoryPage = ({ values }: { values: ConnectionValues }) => (
  <NarrowPage
    title="New connection: directory alone"
    trail={{ [HERE]: "Single sign-on", [`${HERE}/new`]: "New connection" }}
  >
    <PostForm action={`${HERE}/new/${DIRECTORY}`} class="card">
      <p>The identity provider adds and removes people by SCIM 2.0. They sign in with credentials of their own.</p>
      <Name values={values} />
      <FormButtons cancel={HERE}>Create connection</FormButtons>
    </PostForm>
  </NarrowPage>
);

export const EditDirectory = ({ id, savedName, values, preview }: EditProps) => (
  <NarrowPage title="Edit connection" trail={{ [HERE]: "Single sign-on", [`${HERE}/${id}`]: savedName }}>
    <PostForm action={`${HERE}/${id}`} class="card">
      <Name values={values} />
      {!useIsSetup() && (
        <Roles values={values} hint="One a line, the first that fits counts, such as “admin: Admins”." />
      )}
      <FormButtons cancel={`${HERE}/${id}`}>Save changes</FormButtons>
      {preview && <PreviewRoles action={`${HERE}/${id}/roles/preview`} {...preview} />}
    </PostForm>
  </NarrowPage>
);

export const DirectoryFacts = ({ connection }: { connection: ConnectionView }) => {
  const { id, scimUrl, roles, directory } = connection;
  const isSetup = useIsSetup();
  return (
    <section class="card" aria-label="Settings">
      <FactList
        facts={[
          ["SCIM base URL", <Copyable text={scimUrl} label="the base URL" />],
          !isSetup && ["Role without a rule", roles.default ?? "none: they do not get in"],
          !isSetup && ["Rules", String(roles.rules.length)],
          ["Last call", directory?.lastRequestAt == null ? "none yet" : <Time at={directory.lastRequestAt} />],
          ["ID", <Copyable text={id} label="the ID" />],
        ]}
      />
    </section>
  );
};

/** The forms that declare an event type, change it, add a version of its schema, and delete it. */
import { FormButtons, PostForm } from "../components/buttons";
import { Select, TextArea, TextField } from "../components/fields";
import { NarrowPage } from "../components/narrow-page";
import { ENFORCEMENTS } from "./list";
import { HERE, pathOf } from "./paths";
import type { TypeValues } from "./values";

interface FormProps {
  values: TypeValues;
}

const YES_NO = [
  ["no", "No"],
  ["yes", "Yes"],
] as const;

export const NewType = ({ values }: FormProps) => (
  <NarrowPage title="Declare an event type" trail={{ [HERE]: "Event types" }}>
    <PostForm action={HERE} class="card">
      <TextField name="name" label="Name" value={values.name} required placeholder="order.paid" />
      <Description values={values} />
      <Schema values={values} hint="A JSON Schema of draft 2020-12. Empty: none." />
      <Examples values={values} />
      <FormButtons cancel={HERE}>Declare</FormButtons>
    </PostForm>
  </NarrowPage>
);

export const EditType = ({ values }: FormProps) => (
  <NarrowPage title={`Edit ${values.name}`} trail={{ [HERE]: "Event types", [pathOf(values.name)]: values.name }}>
    <PostForm action={pathOf(values.name)} class="card">
      <Description values={values} />
      <Examples values={values} />
      <input type="hidden" name="since" value={values.since} />
      <Select
        name="deprecated"
        label="Deprecated"
        value={values.deprecated}
        options={YES_NO}
        hint="Publishers get a warning with each event."
      />
      <TextField name="note" label="Note for publishers" value={values.note} />
      <TextField name="replacedBy" label="Type to use instead" value={values.replacedBy} />
      <Select name="archived" label="Archived" value={values.archived} options={YES_NO} hint="Lists leave it out." />
      <FormButtons cancel={pathOf(values.name)}>Save changes</FormButtons>
    </PostForm>
  </NarrowPage>
);

export const NewVersionPage = ({ values }: FormProps) => (
  <NarrowPage
    title={`New version of ${values.name}`}
    trail={{ [HERE]: "Event types", [pathOf(values.name)]: values.name }}
  >
    <PostForm action={`${pathOf(values.name)}/versions`} class="card">
      <Schema values={values} hint="Versions never change. Its page will show what this one breaks." />
      <Examples values={values} />
      <FormButtons cancel={pathOf(values.name)}>Add version</FormButtons>
    </PostForm>
  </NarrowPage>
);

const Description = ({ values }: FormProps) => (
  <>
    <TextArea name="description" label="Description" value={values.description} rows={3} />
    <TextField
      name="group"
      label="Group"
      value={values.group}
      maxlength={64}
      hint="The heading under which lists show it."
    />
    <Select
      name="enforce"
      label="Payload"
      value={values.enforce}
      options={Object.entries(ENFORCEMENTS)}
      hint="What becomes of an event that does not fit the schema."
    />
  </>
);

const Schema = ({ values, hint }: FormProps & { hint: string }) => (
  <TextArea name="schema" label="Schema" value={values.schema} rows={12} class="mono" hint={hint} />
);

const Examples = ({ values }: FormProps) => (
  <TextArea
    name="examples"
    label="Examples"
    value={values.examples}
    rows={6}
    class="mono"
    hint="A JSON list of up to 5 payloads that fit the schema."
  />
);

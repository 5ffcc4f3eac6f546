/** The forms that make and replace a platform key. */
import { PLATFORM_SCOPE_TEXTS } from "../../base/schemas/platform-scopes";
import { FormButtons, PostForm } from "../components/buttons";
import { CheckboxGroup, Select, TextArea, TextField } from "../components/fields";
import { LIFETIMES } from "../components/lifetimes";
import { NarrowPage } from "../components/narrow-page";
import { ABOVE_KEY, HERE } from "./list";

export interface NewKeyValues {
  name: string;
  scopes: string[];
  /** One tenant a line; empty: all. */
  tenants: string;
  /** Days until it expires; empty for never. */
  days: string;
}

export const NewPlatformKeyForm = ({ values }: { values: NewKeyValues }) => (
  <NarrowPage title="New platform key" trail={ABOVE_KEY}>
    <PostForm action={`${HERE}/new`} class="card">
      <TextField
        name="name"
        label="Name"
        value={values.name}
        hint="The program that uses it, such as shop backend."
        required
        maxlength={200}
      />
      <CheckboxGroup
        name="scopes"
        legend="The key may"
        values={values.scopes}
        options={Object.entries(PLATFORM_SCOPE_TEXTS)}
      />
      <TextArea
        name="tenants"
        label="Only in these tenants"
        value={values.tenants}
        rows={2}
        class="mono"
        hint="One a line: its ID, or ext: and your own ID. Empty: in all tenants."
      />
      <Select name="expiresAt" label="Expires" value={values.days} options={LIFETIMES} />
      <FormButtons cancel={HERE}>Create platform key</FormButtons>
    </PostForm>
  </NarrowPage>
);

/** How long the former key works, in seconds, with the labels of the form. */
export const OVERLAPS = [
  ["86400", "One day"],
  ["604800", "Seven days"],
  ["3600", "One hour"],
  ["0", "Not at all: it ends at once"],
] as const;

interface RotationProps {
  name: string;
  action: string;
  overlap: string;
}

export const RotationForm = ({ name, action, overlap }: RotationProps) => (
  <NarrowPage title={`Rotate ${name}`} trail={ABOVE_KEY}>
    <PostForm action={action} class="card">
      <p>A new key replaces the present one. Its name, its scopes and its tenants stay.</p>
      <Select name="overlapSeconds" label="The former key works for" value={overlap} options={OVERLAPS} />
      <FormButtons cancel={HERE}>Rotate</FormButtons>
    </PostForm>
  </NarrowPage>
);

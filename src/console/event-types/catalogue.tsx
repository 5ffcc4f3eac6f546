/** The public catalogue of the event types: what it shows now, and the form that changes it. */
import type { Catalogue } from "../../webhooks/event-types/catalogue/schemas";
import { pathIn } from "../catalogue/paths";
import { FormButtons, LinkButton, PostForm } from "../components/buttons";
import { Card } from "../components/display";
import { Select, TextArea, TextField } from "../components/fields";
import { NarrowPage } from "../components/narrow-page";
import type { Form } from "../http/form";
import { HERE } from "./paths";

/** The form, as texts. */
export interface CatalogueValues {
  public: string;
  slug: string;
  title: string;
  description: string;
}

export const valuesOfCatalogue = ({ public: isPublic, slug, title, description }: Catalogue): CatalogueValues => ({
  public: isPublic ? "yes" : "no",
  slug: slug ?? "",
  title: title ?? "",
  description: description ?? "",
});

export const readCatalogueForm = (form: Form): CatalogueValues => ({
  public: form.text("catalog.public"),
  slug: form.text("catalog.slug"),
  title: form.text("catalog.title"),
  description: form.text("catalog.description"),
});

/** The body that changes the catalogue. */
export const catalogueChangeOf = ({ public: isPublic, slug, title, description }: CatalogueValues) => ({
  catalog: {
    public: isPublic === "yes",
    slug: slug.trim() || null,
    title: title.trim() || null,
    description: description.trim() || null,
  },
});

export const CatalogueCard = ({ catalogue, mayChange }: { catalogue: Catalogue; mayChange: boolean }) => (
  <Card id="catalogue-title" title="Catalogue">
    <p>
      {catalogue.public && catalogue.slug ? (
        <>
          Everybody can see the event types at <a href={pathIn(catalogue.slug)}>{pathIn(catalogue.slug)}</a>.
        </>
      ) : (
        "Only members see the event types. A catalogue shows them to everybody."
      )}
    </p>
    {mayChange && <LinkButton to={`${HERE}/catalogue`}>Change</LinkButton>}
  </Card>
);

export const EditCatalogue = ({ values }: { values: CatalogueValues }) => (
  <NarrowPage title="Catalogue" trail={{ [HERE]: "Event types" }}>
    <PostForm action={`${HERE}/catalogue`} class="card">
      <Select
        name="catalog.public"
        label="Who sees the event types"
        value={values.public}
        options={[
          ["no", "Members only"],
          ["yes", "Everybody, with their schemas and examples"],
        ]}
        hint="Archived types are never shown."
      />
      <TextField
        name="catalog.slug"
        label="Slug"
        value={values.slug}
        maxlength={50}
        placeholder="acme"
        hint={`The address of the pages is ${pathIn("")} and this.`}
      />
      <TextField
        name="catalog.title"
        label="Title"
        value={values.title}
        maxlength={100}
        hint="The slug, if this is empty."
      />
      <TextArea name="catalog.description" label="Description" value={values.description} rows={3} />
      <FormButtons cancel={HERE}>Save changes</FormButtons>
    </PostForm>
  </NarrowPage>
);

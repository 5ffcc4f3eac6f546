/** The catalogue of a tenant's event types, as the API takes and returns it. */
import * as z from "zod";
import { described } from "../../../base/schemas/schemas";
import type { TypesFormat } from "../export/schemas";

/** The formats of its files. */
export type CatalogueFormat = Exclude<TypesFormat, "json">;

const MAX_TITLE_CHARACTERS = 100;
const MAX_DESCRIPTION_CHARACTERS = 2000;

const isPublic = z.boolean().meta({ description: "Whether everybody can see the pages." });
const slug = z
  .string()
  .min(3)
  .max(50)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, "Must be lower-case letters, digits and hyphens between them")
  .meta({ description: "The pages are at `/catalog/` and this. It is unique in the service.", examples: ["acme"] });
const title = z
  .string()
  .min(1)
  .max(MAX_TITLE_CHARACTERS)
  .meta({ description: "The heading of the pages; the slug unless given.", examples: ["Acme events"] });
const description = z
  .string()
  .max(MAX_DESCRIPTION_CHARACTERS)
  .meta({ description: "Plain text.", examples: ["What we tell you about orders."] });

export const catalogue = described("EventTypeCatalog", "The public pages that show the event types.", () => ({
  public: isPublic,
  slug: slug.optional(),
  title: title.optional(),
  description: description.optional(),
}));

export const catalogueChange = z
  .strictObject({
    public: isPublic,
    slug: slug.nullable(),
    title: title.nullable(),
    description: description.nullable(),
  })
  .partial()
  .meta({
    id: "EventTypeCatalogChange",
    description: "The fields to change. Null clears a field. Without a slug there is no title and no description.",
  });

export type Catalogue = z.infer<typeof catalogue>;
export type CatalogueChange = z.output<typeof catalogueChange>;

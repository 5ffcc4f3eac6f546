/** The names of tenants. Invitations mail them to strangers, so they must not contain an address to visit. */
import { name } from "../../base/schemas/schemas";

const MAX_CHARACTERS = 64;
/** A scheme, or a host such as `evil.example`, also in look-alike characters. */
const ADDRESS = /:\/\/|[\p{L}\p{N}]\.\p{L}/u;
const UNNAMED = "Personal";

export const tenantName = name
  .refine((text) => text.length <= MAX_CHARACTERS, `Must have at most ${MAX_CHARACTERS} characters`)
  .refine((text) => !ADDRESS.test(text.normalize("NFKC")), "Must not contain an address such as example.com")
  .meta({ description: `One line of at most ${MAX_CHARACTERS} characters, without a host or URL.` });

/** The name of a tenant that is made for a person: the person's, if a tenant may have it. */
export const nameOfOwnTenant = (personName: string | null | undefined): string =>
  tenantName.safeParse(personName).data ?? UNNAMED;

/** By what a record names its account. */
import { email as address } from "../../base/schemas/schemas";
import { addressOf, type DirectoryUser } from "../protocol/user";

/** What names the account of a record. */
export function namedBy(record: DirectoryUser, recordId: string | null) {
  const sent = addressOf(record);
  const email = sent === null ? null : (address.safeParse(sent).data ?? null);
  return { recordId, email, externalId: record.externalId ?? null };
}

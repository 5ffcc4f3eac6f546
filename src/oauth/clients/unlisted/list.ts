/** Operators list apps by the URLs of their documents, and keep copies for when these cannot be fetched. */
import type { Deps } from "../../../base/deps";
import { AppError, changedMeanwhile, invalidField, refuseInvalid } from "../../../base/errors";
import { capReached } from "../../../base/limits/caps";
import { PLATFORM_TENANT } from "../../../base/schemas/tenant-ref";
import type { Registrar } from "../../registrar";
import { type NewClient, newClient } from "../schemas";
import type { ClientRow } from "../store";
import { appOfDocument, fetchDocument, isDocumentUrl, MAX_DOCUMENT_BYTES } from "./document";
import { findCopy, insertListed, replaceCopy } from "./listed-store";

type GivenDocument = Readonly<Record<string, unknown>>;

/** What may be said of such an app. */
const FIELDS = ["clientId", "document", "password", "totp"];

/**
 * Lists the app at `given.clientId`, with the given copy of its document, or with what is there now. Throws
 * VALIDATION_FAILED, CONFLICT for another copy than that of one that is listed and at the cap, and RATE_LIMITED.
 */
export async function listClient(
  deps: Deps,
  { caller, ownerId, clientIp }: Registrar,
  id: string,
  given: NewClient,
): Promise<{ row: ClientRow; isNew: boolean }> {
  if (ownerId !== PLATFORM_TENANT) throw invalidField("clientId", "For the platform alone");
  const unset: Readonly<Record<string, unknown>> = newClient.parse({ clientId: id });
  const others = Object.entries(given).filter(
    ([name, value]) => !FIELDS.includes(name) && JSON.stringify(value) !== JSON.stringify(unset[name]),
  );
  refuseInvalid(others.map(([path]) => ({ path, message: "The document says it" })));
  if (!isDocumentUrl(deps, id)) throw invalidField("clientId", "Must be an https URL with a path, of another host");
  const document = given.document ?? ((await fetchDocument(deps, id, clientIp)) as GivenDocument | null);
  if (document === null) throw invalidField("clientId", "Its document cannot be read: give a copy as document");
  const row = await usable(deps, id, document);
  const text = JSON.stringify(document);
  const stored = await insertListed(deps, row, text, caller.actor);
  if (stored === "cap") throw capReached("clients", deps.config.caps);
  if (stored === "stored") return { row: { ...row, kind: "listed" }, isNew: true };
  if (given.document === undefined || (await findCopy(deps, id)) === text) {
    return { row: { ...row, kind: "listed" }, isNew: false };
  }
  throw new AppError("CONFLICT", { message: "This app is listed with another copy. Change that." });
}

/** Replaces the copy. Throws VALIDATION_FAILED, and CONFLICT if the app is listed no more. */
export async function changeCopy(
  deps: Deps,
  { caller }: Registrar,
  client: ClientRow,
  document: GivenDocument,
): Promise<void> {
  await usable(deps, client.id, document);
  const isReplaced = await replaceCopy(deps, client, JSON.stringify(document), caller.actor, deps.now());
  if (!isReplaced) throw changedMeanwhile("client");
}

/** The app of a copy. Throws VALIDATION_FAILED. */
async function usable(deps: Deps, id: string, document: GivenDocument): Promise<ClientRow> {
  const isShort = JSON.stringify(document).length <= MAX_DOCUMENT_BYTES;
  const row = isShort ? await appOfDocument(deps, id, document) : null;
  if (row) return row;
  throw invalidField("document", "Must be at most 5 KiB, with this client_id, a name, and redirect URLs of its host");
}

/** Importing the subscriptions of another system: each item creates one or replaces the one with its external id. */
import { decrypt } from "../../base/crypto/encryption";
import type { Deps } from "../../base/deps";
import { AppError, invalid } from "../../base/errors";
import type { TenantStanding } from "../../base/schemas/principal";
import { type DeliveryChange, optionsPatch, wholeDelivery } from "../options/delivery-options";
import { type Headers, mergeHeaders } from "../options/header-options";
import { isSame, openHeaders } from "../options/headers";
import { secretOwner } from "../signing/keys";
import {
  type Changer,
  changeSubscription,
  checkSubscription,
  createSubscription,
  mostSubscriptions,
  tooManySubscriptions,
} from "./changes";
import { type ImportedItem, type ImportedSubscription, importedSubscription } from "./import-schemas";
import { countSubscriptions, findByExternalId, type SubscriptionRow } from "./store";

interface Import {
  subscriptions: readonly unknown[];
  /** Only tells what would happen. */
  dryRun: boolean;
}

type Importer = Changer & TenantStanding;

/**
 * Imports the items one after the other and returns what became of each. An item that is refused refuses itself only.
 * Repeating an import changes nothing more.
 */
export async function importSubscriptions(deps: Deps, tenant: Importer, asked: Import): Promise<ImportedItem[]> {
  const run = new Run(deps, tenant, asked.dryRun);
  const items: ImportedItem[] = [];
  for (const [index, item] of asked.subscriptions.entries()) items.push({ index, ...(await run.take(item)) });
  return items;
}

type Outcome = Omit<ImportedItem, "index">;

class Run {
  readonly #seen = new Set<string>();
  /** How many a dry run would have created. */
  #created = 0;

  constructor(
    readonly deps: Deps,
    readonly tenant: Importer,
    readonly dryRun: boolean,
  ) {}

  async take(item: unknown): Promise<Outcome> {
    const { success, data, error } = importedSubscription.safeParse(item);
    if (!success) return { ...nameOf(item), outcome: "refused", reason: reasonOf(invalid(error)) };
    const { externalId } = data;
    try {
      if (this.#seen.has(externalId)) throw new AppError("CONFLICT", { message: "The externalId came before." });
      this.#seen.add(externalId);
      return { externalId, ...(await this.#write(data)) };
    } catch (refusal) {
      if (!(refusal instanceof AppError)) throw refusal;
      return { externalId, outcome: "refused", reason: reasonOf(refusal) };
    }
  }

  async #write(item: ImportedSubscription): Promise<Outcome> {
    const { deps, tenant } = this;
    const before = await findByExternalId(deps, tenant, item.externalId);
    if (!before) return this.#create(item);
    const headers = await openHeaders(deps, before);
    if (await isUnchanged(deps, before, headers, item)) return { outcome: "unchanged", id: before.id };
    const delivery = wholeDelivery(item.delivery, Object.keys(headers));
    if (this.dryRun) checkSubscription(deps, tenant, item);
    else await changeSubscription(deps, tenant, before.id, { ...item, delivery });
    return { outcome: "updated", id: before.id };
  }

  async #create(item: ImportedSubscription): Promise<Outcome> {
    const { deps, tenant } = this;
    if (!this.dryRun) return { outcome: "created", id: (await createSubscription(deps, tenant, item)).id };
    checkSubscription(deps, tenant, item);
    const most = mostSubscriptions(deps, tenant);
    if ((await countSubscriptions(deps, tenant)) + this.#created >= most) throw tooManySubscriptions(deps, tenant);
    this.#created += 1;
    return { outcome: "created" };
  }
}

/** Whether replacing the subscription by the item would change nothing. */
async function isUnchanged(
  { keys }: Deps,
  before: SubscriptionRow,
  headers: Headers,
  item: ImportedSubscription,
): Promise<boolean> {
  const { filter = null, ...options } = before.options ?? {};
  const fields = ({ name, url, events, enabled }: Pick<SubscriptionRow, "name" | "url" | "events" | "enabled">) =>
    JSON.stringify([name, url, events, enabled]);
  return (
    fields(before) === fields(item) &&
    canonical(options) === canonical(optionsPatch(item.delivery ?? {})) &&
    // Nulls in a filter count.
    JSON.stringify(filter) === JSON.stringify(item.delivery?.filter ?? null) &&
    isSame(headers, headersOf(item.delivery)) &&
    (await decrypt(keys, secretOwner(before.id), before.secretSealed)) === item.secret
  );
}

const headersOf = (delivery: DeliveryChange | null | undefined) => mergeHeaders({}, delivery?.headers ?? {});

/** JSON without members that are null or empty objects, in the order of their names. */
function canonical(value: unknown): string | undefined {
  if (!(value instanceof Object) || Array.isArray(value)) return value === null ? undefined : JSON.stringify(value);
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = canonical(member);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return members.length === 0 ? undefined : `{${members.sort().join(",")}}`;
}

/** The first thing that is wrong, in a sentence. */
function reasonOf({ message, details }: AppError): string {
  const [first] = details ?? [];
  if (!first) return message;
  return first.path === "" ? first.message : `${first.path}: ${first.message}`;
}

/** The external id of an item that is refused, so that its sender recognizes it. */
function nameOf(item: unknown): { externalId?: string } {
  const given = item instanceof Object && "externalId" in item ? item.externalId : undefined;
  return typeof given === "string" && given.length <= 128 ? { externalId: given } : {};
}

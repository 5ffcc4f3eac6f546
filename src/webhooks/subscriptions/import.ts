/** Importing the subscriptions of another system: each item creates one or replaces the one with its external id. */
import type { Deps } from "../../base/deps";
import { AppError, invalid } from "../../base/errors";
import type { TenantStanding } from "../../base/schemas/principal";
import { wholeDelivery } from "../options/delivery-options";
import {
  type Changer,
  changeSubscription,
  checkSubscription,
  createSubscription,
  mostSubscriptions,
  tooManySubscriptions,
} from "./changes";
import { type ImportedItem, type ImportedSubscription, importedSubscription } from "./import-schemas";
import { differing, stateAfter, stateOf } from "./state";
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
    return before ? this.#replace(before, item) : this.#create(item);
  }

  async #replace(before: SubscriptionRow, item: ImportedSubscription): Promise<Outcome> {
    const { deps, tenant } = this;
    const stored = await stateOf(deps, before);
    const change = { ...item, delivery: wholeDelivery(item.delivery, Object.keys(stored.headers)) };
    if (differing(stored, stateAfter(stored, change)).size === 0) return { outcome: "unchanged", id: before.id };
    if (this.dryRun) checkSubscription(deps, tenant, item);
    else await changeSubscription(deps, tenant, before.id, change);
    return { outcome: "updated", id: before.id };
  }

  async #create(item: ImportedSubscription): Promise<Outcome> {
    const { deps, tenant } = this;
    if (!this.dryRun) return this.#createOrReplace(item);
    checkSubscription(deps, tenant, item);
    const most = mostSubscriptions(deps, tenant);
    if ((await countSubscriptions(deps, tenant)) + this.#created >= most) throw tooManySubscriptions(deps, tenant);
    this.#created += 1;
    return { outcome: "created" };
  }

  async #createOrReplace(item: ImportedSubscription): Promise<Outcome> {
    const { deps, tenant } = this;
    try {
      return { outcome: "created", id: (await createSubscription(deps, tenant, item)).id };
    } catch (refusal) {
      // Somebody may have created it since it was looked for: the same import, sent twice.
      const twin = refusal instanceof AppError && (await findByExternalId(deps, tenant, item.externalId));
      if (!twin) throw refusal;
      return this.#replace(twin, item);
    }
  }
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

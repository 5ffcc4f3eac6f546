/** Why filters have kept an event back. One budget pays for all subscriptions of a page. */
import { parseExact } from "../../base/exact-json";
import { reasons } from "../filters/match";
import { readFilter } from "../filters/stored";
import { KnownValues } from "../work/known-values";
import { Meter, PRICES } from "../work/meter";
import type { StoredEvent, WantingRow } from "./outcomes-store";
import type { EventOutcome } from "./schemas";

export class FilteredEvent {
  readonly meter = new Meter();
  readonly #known = new KnownValues();
  #parsed: { payload: unknown } | undefined;

  constructor(
    readonly tenantId: string,
    readonly event: Pick<StoredEvent, "type" | "payload">,
  ) {}

  /** The conditions that did not hold; none once the budget is spent. A filter that has changed since cannot tell. */
  why({ id, filter: stored }: Pick<WantingRow, "id" | "filter">): Pick<EventOutcome, "because" | "filterChanged"> {
    if (stored === null) return { filterChanged: true };
    if (this.meter.isSpent) return { because: [] };
    this.meter.count(stored.length * PRICES.filterCharacter);
    const filter = readFilter(stored, { tenantId: this.tenantId, webhookId: id });
    this.#parsed ??= { payload: parseExact(this.event.payload) };
    const subject = { type: this.event.type, payload: this.#parsed.payload };
    return { because: reasons(filter, subject, this.meter, this.#known) };
  }
}

/** `delivery.filter`: which events of its types a subscription receives. */
import { parseExact } from "../../base/exact-json";
import { type DeliveryOption, type OptionField, withDocs } from "../../base/option";
import { filter } from "../filters/filter-schemas";

const docs = {
  description:
    "Only events that fit it are sent. It is replaced as a whole, and cannot stand beside `postern.…` in `events`.",
  values: "[a filter](filters.md)",
  byDefault: "none",
  examples: [{ type: "order.paid", "payload.total": { $gt: 100 } }],
};

/** Indented JSON. What is no JSON is left to the schema to refuse. */
const field: OptionField = {
  inputs: [
    {
      kind: "json",
      name: "filter",
      label: "Filter",
      hint: 'Sends only events that fit. For example {"payload.total": {"$gt": 100}}',
    },
  ],
  errorInput: "filter",
  show: (value) => ({ filter: value === undefined ? "" : JSON.stringify(value, null, 2) }),
  read: ({ filter: text }) => {
    if (text === undefined) return undefined;
    if (text.trim() === "") return null;
    try {
      return parseExact(text);
    } catch {
      return text;
    }
  },
};

/** Stored in a column of its own: in the column `options`, a merge patch would take the nulls out of a filter. */
export const FILTER_OPTIONS = {
  filter: { change: withDocs(filter, docs), shown: withDocs(filter, docs), docs, field } satisfies DeliveryOption,
};

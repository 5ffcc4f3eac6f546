/** What an OpenAPI document without webhooks says that it sends: the callbacks of its operations. */
import { PRICES } from "../../work/meter";
import { isObject } from "../json-schema/canonical";
import { followed, memberOf } from "../pointer";
import type { Described, Reading } from "./item";

/** A request that is described in a document. */
export interface Webhook {
  webhook: unknown;
  /** What leads to it in the document. */
  root: readonly string[];
}

type Place = [root: string[], callbacks: unknown];

/** Each callback once, however many operations have it. Of its addresses, the first one counts. Throws OutOfSteps. */
export function callbacksIn({ document, meter }: Reading): Described<Webhook>[] {
  const components: Place = [["components"], memberOf(memberOf(document, "components"), "callbacks")];
  const operations = entriesOf(memberOf(document, "paths")).flatMap(([path, item]) =>
    entriesOf(item).map(([method, operation]): Place => {
      meter.pay(PRICES.member);
      return [["paths", path, method], memberOf(operation, "callbacks")];
    }),
  );
  const seen = new Set<unknown>();
  return [components, ...operations].flatMap(([place, callbacks]) =>
    entriesOf(callbacks).flatMap(([name, given]) => {
      meter.pay(PRICES.value);
      const callback = followed(document, given, meter);
      const [expression, webhook] = entriesOf(callback)[0] ?? [];
      if (expression === undefined || seen.has(callback)) return [];
      seen.add(callback);
      const root = [...place, "callbacks", name];
      return [{ name, path: `openapi.${root.join(".")}`, part: { webhook, root: [...root, expression] } }];
    }),
  );
}

const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

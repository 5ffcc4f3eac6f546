/** `GET /validate?n=` and `GET /filter?n=`: checks one payload so often, because the clock stands still meanwhile. */

import { validate } from "../../src/webhooks/event-types/json-schema/validate";
import { checkedSchema } from "../../src/webhooks/event-types/schema";
import { matches } from "../../src/webhooks/filters/match";
import { parseFilter } from "../../src/webhooks/filters/parse";

const PROPERTIES = 50;
const VALUE_CHARACTERS = 60;

const names = Array.from({ length: PROPERTIES }, (_, at) => `property${at}`);
/** About 4 KiB. */
const payload = Object.fromEntries(names.map((name) => [name, "x".repeat(VALUE_CHARACTERS)]));
const property = { type: "string", minLength: 1, maxLength: 100, pattern: "^[a-z]+$" };
const schema = checkedSchema({
  type: "object",
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, property])),
  additionalProperties: false,
});
/** Ten conditions that all hold, so that each is looked at. */
const filter = parseFilter({
  payload: Object.fromEntries(names.slice(0, 10).map((name) => [name, { $startsWith: "x" }])),
});
const event = { type: "order.paid", payload };

const ROUTES = {
  "/validate": () => validate(schema, payload, "payload").length === 0,
  "/filter": () => matches(filter, event),
};

export default {
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const work = ROUTES[pathname];
    let held = 0;
    for (let left = Number(searchParams.get("n")); left > 0; left -= 1) held += work() ? 1 : 0;
    return Response.json({ held });
  },
};

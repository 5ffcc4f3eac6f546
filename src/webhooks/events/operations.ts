/** Reading events. */
import { operation } from "../../base/operation";
import { READ_DELIVERIES } from "../access";
import { eventDetail, eventsOf } from "./outcomes";
import { eventListQuery, eventQuery } from "./schemas";

export const events = {
  list: operation({
    ...READ_DELIVERIES,
    schema: eventListQuery,
    verb: ({ deps, principal, input }) => eventsOf(deps, principal, input),
  }),
  get: operation({
    ...READ_DELIVERIES,
    schema: eventQuery,
    verb: ({ deps, principal, param, input }) => eventDetail(deps, principal, param("id"), input.cursor),
  }),
};

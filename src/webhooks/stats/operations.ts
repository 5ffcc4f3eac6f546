/** Reading statistics. */
import { operation } from "../../base/operation";
import { READ_DELIVERIES } from "../access";
import { statsQuery } from "./schemas";
import { attemptCountsOf, statsOfSubscription, statsOfTenant } from "./summary";

export const stats = {
  ofTenant: operation({
    ...READ_DELIVERIES,
    schema: statsQuery,
    verb: ({ deps, principal, input }) => statsOfTenant(deps, principal, input.hours),
  }),
  attempts: operation({
    ...READ_DELIVERIES,
    verb: ({ deps, principal, param }) => attemptCountsOf(deps, principal, param("id")),
  }),
  ofSubscription: operation({
    ...READ_DELIVERIES,
    schema: statsQuery,
    verb: ({ deps, principal, param, input }) => statsOfSubscription(deps, principal, param("id"), input.hours),
  }),
};

/** Reading the delivery log. */
import { operation } from "../../base/operation";
import { READ_DELIVERIES } from "../access";
import { attemptOfSubscription, logOfSubscription } from "./delivery-log";
import { logQuery } from "./schemas";

export const deliveryLog = {
  list: operation({
    ...READ_DELIVERIES,
    schema: logQuery,
    verb: ({ deps, principal, param, input }) => logOfSubscription(deps, principal, param("id"), input),
  }),
  get: operation({
    ...READ_DELIVERIES,
    verb: ({ deps, principal, param }) => attemptOfSubscription(deps, principal, param("id"), param("attemptId")),
  }),
};

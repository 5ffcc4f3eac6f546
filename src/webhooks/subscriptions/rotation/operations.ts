/** Rotating the keys that sign a subscription's deliveries. */
import { operation } from "../../../base/operation";
import { WRITE_SUBSCRIPTIONS } from "../../access";
import { endFormerKeysOf, rotate } from "./rotation";
import { rotation } from "./schemas";

export const secrets = {
  rotate: operation({
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.update",
    schema: rotation,
    verb: ({ deps, principal, param, input }) => rotate(deps, principal, param("id"), input),
  }),
  endFormer: operation({
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.update",
    verb: ({ deps, principal, param }) => endFormerKeysOf(deps, principal, param("id")),
  }),
};

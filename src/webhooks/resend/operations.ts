/** Sending deliveries again, sooner, or a test. */
import { operation } from "../../base/operation";
import { RESEND } from "../access";
import { retryDelivery, retryFailed, retryLatest, sendTest } from "./retry";
import { retryFailedRequest } from "./schemas";
import { sendNow } from "./send-now";

export const resend = {
  latest: operation({ ...RESEND, verb: ({ deps, principal, param }) => retryLatest(deps, principal, param("id")) }),
  delivery: operation({
    ...RESEND,
    verb: ({ deps, principal, param }) => retryDelivery(deps, principal, param("id"), param("deliveryId")),
  }),
  failed: operation({
    ...RESEND,
    schema: retryFailedRequest,
    verb: ({ deps, principal, param, input }) => retryFailed(deps, principal, param("id"), input),
  }),
  test: operation({ ...RESEND, verb: ({ deps, principal, param }) => sendTest(deps, principal, param("id")) }),
  /** Makes the pending attempt of a delivery earlier. */
  now: operation({
    ...RESEND,
    verb: ({ deps, principal, param }) => sendNow(deps, principal, param("id"), param("deliveryId")),
  }),
};

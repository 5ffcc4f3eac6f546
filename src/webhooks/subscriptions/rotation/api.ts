/** `/webhooks/:id/secret`: rotating the signing keys of a subscription. */
import { endpoint, routes } from "../../../base/http/endpoint";
import { saying } from "../../../base/http/operation";
import { limitedInside } from "../../../base/http/rate-limit";
import { iso } from "../../../base/time";
import { WRITE_SUBSCRIPTIONS } from "../../access";
import { subscriptionView } from "../view";
import { endFormerKeysOf, rotate } from "./rotation";
import { rotated, rotation } from "./schemas";

export const secrets = {
  rotate: endpoint({
    id: "rotateWebhookSecret",
    summary: "Gives a subscription a new secret, or a new Ed25519 key.",
    description:
      "`webhook-signature` has the signatures of the new key and, until they end, of up to three former ones. " +
      "`X-Webhook-Signature` is " +
      "made with the new secret only. A new Ed25519 key is published 20 minutes before it signs.",
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.update",
    schema: rotation,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: rotated }),
    first: limitedInside("rotateSecret", "subscription"),
    verb: ({ deps, principal, param, input }) => rotate(deps, principal, param("id"), input),
    answer: async (c, { row, formerExpireAt }) => {
      const secretRotation = { previousExpireAt: formerExpireAt.map((timeMs) => iso(timeMs)) };
      return c.json({ data: await subscriptionView(c.get("deps"), row), secretRotation });
    },
  }),
  endFormer: endpoint({
    id: "endPreviousWebhookSecrets",
    summary: "Ends all former keys of a subscription at once.",
    description:
      "Use this after a leak. Former secrets and former public keys become invalid, and a new Ed25519 key that " +
      "does not sign yet signs at once. The answer is the same if there are no former keys.",
    ...WRITE_SUBSCRIPTIONS,
    permission: "webhook.update",
    errors: ["NOT_FOUND", "CONFLICT"],
    verb: ({ deps, principal, param }) => endFormerKeysOf(deps, principal, param("id")),
    answer: saying("Previous secrets ended"),
  }),
};

export const rotationRoutes = routes({
  "POST /:id/secret/rotate": secrets.rotate,
  "DELETE /:id/secret/previous": secrets.endFormer,
});

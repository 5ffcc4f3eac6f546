/** `/webhooks/:id/secret`: rotating the signing keys of a subscription. */
import { Hono } from "hono";
import type { AppEnv } from "../../../platform/http/env";
import { can } from "../../../platform/http/permissions";
import { byTenant, limit, limitedInside } from "../../../platform/http/rate-limit";
import { describeRoute } from "../../../platform/http/route-docs";
import { body } from "../../../platform/http/validate";
import { says } from "../../../platform/schemas/schemas";
import { iso } from "../../../platform/time";
import { subscriptionView } from "../../subscriptions/view";
import { endFormerKeysOf, rotate } from "./rotation";
import { rotated, rotation } from "./schemas";

const limited = limit("writeWebhook", byTenant);

export const rotationRoutes = new Hono<AppEnv>()
  .post(
    "/:id/secret/rotate",
    describeRoute("rotateWebhookSecret", "Gives a subscription a new secret, or a new Ed25519 key.", {
      200: rotated,
      errors: ["NOT_FOUND", "CONFLICT"],
      description:
        "`webhook-signature` has the signatures of the new key and, until they end, of up to three former ones. " +
        "`X-Webhook-Signature` is " +
        "made with the new secret only. A new Ed25519 key is published 20 minutes before it signs.",
    }),
    limitedInside("rotateSecret", "subscription"),
    limited,
    can("webhook.update"),
    body(rotation),
    async (c) => {
      const deps = c.get("deps");
      const { row, formerExpireAt } = await rotate(deps, c.get("principal"), c.req.param("id"), c.req.valid("json"));
      const secretRotation = { previousExpireAt: formerExpireAt.map((timeMs) => iso(timeMs)) };
      return c.json({ data: await subscriptionView(deps, row), secretRotation });
    },
  )
  .delete(
    "/:id/secret/previous",
    describeRoute("endPreviousWebhookSecrets", "Ends all former keys of a subscription at once.", {
      200: says("Previous secrets ended"),
      errors: ["NOT_FOUND"],
      description:
        "Use this after a leak. Former secrets and former public keys become invalid, and a new Ed25519 key that " +
        "does not sign yet signs at " +
        "once. The answer is the same if there are no former keys.",
    }),
    limited,
    can("webhook.update"),
    async (c) => {
      await endFormerKeysOf(c.get("deps"), c.get("principal"), c.req.param("id"));
      return c.json({ message: "Previous secrets ended" });
    },
  );

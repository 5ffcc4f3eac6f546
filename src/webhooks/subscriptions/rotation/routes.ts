/** `/webhooks/:id/secret`: rotating the signing keys of a subscription. */

import { Hono } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { saying, serve } from "../../../base/http/operation";
import { limitedInside } from "../../../base/http/rate-limit";
import { describeRoute } from "../../../base/http/route-docs";
import { iso } from "../../../base/time";
import { subscriptionView } from "../view";
import { secrets } from "./operations";
import { rotated } from "./schemas";

export const rotationRoutes = new Hono<AppEnv>()
  .post(
    "/:id/secret/rotate",
    describeRoute("rotateWebhookSecret", "Gives a subscription a new secret, or a new Ed25519 key.", () => ({
      200: rotated,
      errors: ["NOT_FOUND", "CONFLICT"],
      description:
        "`webhook-signature` has the signatures of the new key and, until they end, of up to three former ones. " +
        "`X-Webhook-Signature` is " +
        "made with the new secret only. A new Ed25519 key is published 20 minutes before it signs.",
    })),
    limitedInside("rotateSecret", "subscription"),
    ...serve(secrets.rotate, async (c, { row, formerExpireAt }) => {
      const secretRotation = { previousExpireAt: formerExpireAt.map((timeMs) => iso(timeMs)) };
      return c.json({ data: await subscriptionView(c.get("deps"), row), secretRotation });
    }),
  )
  .delete(
    "/:id/secret/previous",
    describeRoute("endPreviousWebhookSecrets", "Ends all former keys of a subscription at once.", () => ({
      errors: ["NOT_FOUND", "CONFLICT"],
      description:
        "Use this after a leak. Former secrets and former public keys become invalid, and a new Ed25519 key that " +
        "does not sign yet signs at once. The answer is the same if there are no former keys.",
    })),
    ...serve(secrets.endFormer, saying("Previous secrets ended")),
  );

/** The pages of a tenant's subscriptions and events, which the console, the platform's tenant and portals have. */
import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { attemptPages } from "../attempts/routes";
import { eventPages } from "../events/routes";
import { filterPages } from "../filters/routes";
import { replayPages } from "../replays/routes";
import { operationPages } from "../resend/routes";
import { signingPages } from "../signing/routes";
import { subscriptionPages } from "../subscriptions/routes";

export const deliveryPages = new Hono<AppEnv>()
  .route("/webhooks", subscriptionPages)
  .route("/webhooks", filterPages)
  .route("/webhooks", signingPages)
  .route("/webhooks", operationPages)
  .route("/webhooks", replayPages)
  .route("/webhooks", attemptPages)
  .route("/events", eventPages);

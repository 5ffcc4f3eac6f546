/** `/console/webhooks/:id/...`: pausing, resuming and testing. */

import { requires } from "../../base/http/operation";
import { RESEND } from "../../webhooks/access";
import { listTypesWithExamples } from "../../webhooks/event-types/store";
import { resend } from "../../webhooks/resend/api";
import { subscriptions } from "../../webhooks/subscriptions/api";
import { Say } from "../components/mount";
import { flash, page } from "../http/page";
import { Pages } from "../http/pages";
import { requireSubscription } from "../http/subscription";
import { TestPage } from "./test-page";

export const operationPages = new Pages()
  .form("/:id/pause", subscriptions.pause, { done: flash("/webhooks/:id", "paused") })
  .form("/:id/resume", subscriptions.resume, {
    input: (_, c) => ({ held: c.req.query("held") === "drop" ? "drop" : "send" }),
    done: flash("/webhooks/:id", "resumed"),
  })
  .get("/:id/test", requires({ callers: RESEND.callers, permission: RESEND.permission }), async (c) => {
    const subscription = await requireSubscription(c);
    const types = await listTypesWithExamples(c.get("deps"), c.get("principal"));
    return page(
      c,
      { title: <Say of="portal.testType" />, section: "subscriptions" },
      <TestPage subscription={subscription} types={types} />,
    );
  })
  .form("/:id/test", resend.test, {
    values: (sent) => ({ type: sent.optional("type"), example: sent.optional("example") }),
    done: flash("/webhooks/:id#log", "tested"),
  }).router;

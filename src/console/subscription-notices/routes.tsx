/** `/console/alerts`: whether the current user gets subscription notices, which link to it. */
import { Hono } from "hono";
import { members } from "../../identity/members/operations";
import type { AppEnv } from "../../platform/http/env";
import { sessionOf } from "../../platform/http/permissions";
import { form } from "../http/form";
import { page, redirectWithFlash } from "../http/page";
import { SubscriptionNotices } from "./page";

export const subscriptionNoticePages = new Hono<AppEnv>()
  .get("/", (c) => {
    const { account, role } = sessionOf(c);
    return page(
      c,
      { title: "Subscription notices", section: null },
      <SubscriptionNotices isOn={account.alerts === 1} tenantName={account.tenantName} role={role} />,
    );
  })
  .post(
    "/",
    ...form(members.change, {
      values: (sent) => ({ alerts: sent.text("alerts") === "on" }),
      done: (c, _, { alerts }) => redirectWithFlash(c, "/alerts", alerts ? "noticesOn" : "noticesOff"),
    }),
  );

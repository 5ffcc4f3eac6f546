/** `/console/alerts`: whether the current user gets subscription notices, which link to it. */
import { Hono } from "hono";
import { setSubscriptionNotices } from "../../identity/members/store";
import type { AppEnv } from "../../platform/http/env";
import { sessionOf } from "../../platform/http/permissions";
import { readForm } from "../http/form";
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
  .post("/", async (c) => {
    const isOn = (await readForm(c)).text("alerts") === "on";
    await setSubscriptionNotices(c.get("deps"), c.get("principal"), isOn);
    return redirectWithFlash(c, "/alerts", isOn ? "noticesOn" : "noticesOff");
  });

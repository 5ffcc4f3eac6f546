/** `/console/alerts`: whether the current user gets mails about failing subscriptions. The mails link to it. */
import { Hono } from "hono";
import { setAlerts } from "../../identity/members/store";
import type { AppEnv } from "../../platform/http/env";
import { sessionOf } from "../../platform/http/permissions";
import { readForm } from "../http/form";
import { page, redirectWithFlash } from "../http/page";
import { Alerts } from "./page";

export const alertPages = new Hono<AppEnv>()
  .get("/", (c) => {
    const { account, role } = sessionOf(c);
    return page(
      c,
      { title: "Mails about failing subscriptions", section: null },
      <Alerts isOn={account.alerts === 1} tenantName={account.tenantName} role={role} />,
    );
  })
  .post("/", async (c) => {
    const isOn = (await readForm(c)).text("alerts") === "on";
    await setAlerts(c.get("deps"), c.get("principal"), isOn);
    return redirectWithFlash(c, "/alerts", isOn ? "alertsOn" : "alertsOff");
  });

/** `/console/alerts`: whether the current user gets mails about failing subscriptions. The mails link to it. */
import { Hono } from "hono";
import type { AppEnv } from "../../http/env";
import { sessionOf } from "../../http/permissions";
import { setAlerts } from "../../members/store";
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

/** `/console/alerts`: whether the current user gets subscription notices, which link to it. */

import { sessionOf } from "../../base/http/permissions";
import { members } from "../../identity/members/api";
import { page, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import { SubscriptionNotices } from "./page";

export const subscriptionNoticePages = new Pages()
  .get("/", (c) => {
    const { account, role } = sessionOf(c);
    return page(
      c,
      { title: "Subscription notices" },
      <SubscriptionNotices isOn={account.alerts === 1} tenantName={account.tenantName} role={role} />,
    );
  })
  .form("/", members.change, {
    values: (sent) => ({ alerts: sent.text("alerts") === "on" }),
    done: (c, _, { alerts }) => redirectWithFlash(c, "/alerts", alerts ? "noticesOn" : "noticesOff"),
  }).router;

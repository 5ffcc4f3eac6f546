/**
 * `/console/security/name` and `email`: the user's name and address; `/console/confirm-email`: the target of the link.
 */
import type { Context } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { profile } from "../../../identity/profile/api";
import { address } from "../../../lifecycle/profile/api";
import { Say } from "../../components/mount";
import { isForApps } from "../../http/mount";
import { flash, page, type Refused, redirectWithFlash } from "../../http/page";
import { Pages } from "../../http/pages";
import { findCurrentUser, requireUser } from "../../http/session";
import { securityPage } from "../routes";
import { ConfirmEmail } from "./page";

/** Under `/security`. */
export const profilePages = new Pages()
  .form("/name", profile.change, {
    values: (sent) => ({ name: sent.text("name").trim() || null }),
    done: flash("/security", "changed"),
    again: (c, refused) => securityPage(c, refused),
  })
  .form("/email", profile.changeEmail, {
    values: (sent) => sent.texts("email"),
    done: flash("/security", "emailChangeMailed"),
    confirmedAt: ({ email }) => `/security?${new URLSearchParams({ email })}`,
    again: (c, refused, { email }) => securityPage(c, refused, email),
  }).router;

const confirmPage = (c: Context<AppEnv>, token: string, email: string | undefined, refused?: Refused) =>
  page(c, { title: <Say of="newEmail.title" />, refused }, <ConfirmEmail token={token} email={email} />);

/** Anybody may open the page; only the account's own session changes its address. */
export const confirmEmailPages = new Pages()
  .get("/", async (c) => confirmPage(c, c.req.query("token") ?? "", (await findCurrentUser(c))?.email))
  .form("/", address.confirm, {
    first: requireUser,
    values: (sent) => sent.texts("token"),
    done: (c) => redirectWithFlash(c, isForApps(c) ? "" : "/security", "emailChanged"),
    again: (c, refused, { token }) => confirmPage(c, token, c.get("currentUser").email, refused),
  }).router;

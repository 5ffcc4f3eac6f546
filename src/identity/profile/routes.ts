/** `/auth/me` and `/auth/change-email`: the signed-in user, their name and their address. */

import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { sessionOf } from "../../base/http/permissions";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { profile } from "./operations";
import { profile as profileSchema } from "./schemas";
import { profileView } from "./view";

const CHANGE_MAILED = "Confirmation email sent.";
const CHANGED = "Email changed.";

export const profileRoutes = new Hono<AppEnv>()
  .get(
    "/me",
    describeRoute("getMe", "The signed-in user, their tenant and their permissions there.", () => ({
      200: dataOf(profileSchema),
    })),
    ...serve(profile.read, (c, data) => c.json({ data })),
  )
  .patch(
    "/me",
    describeRoute("updateMe", "Changes the name of the signed-in user.", () => ({ 200: dataOf(profileSchema) })),
    ...serve(profile.change, (c, _, { name }) => c.json({ data: { ...profileView(sessionOf(c)), name } })),
  )
  .post(
    "/change-email",
    describeRoute("changeEmail", "Mails a link to a new address, which changes the address of the account.", () => ({
      errors: ["FORBIDDEN", "STEP_UP_REQUIRED", "WRONG_PASSWORD", "INVALID_TOTP", "ACCOUNT_LOCKED"],
      description:
        "The link works for 24 hours and once, and a newer request ends it. The answer is the same whether or not " +
        "another account has the address. The present address gets a link that undoes all of this for 72 hours. " +
        "Needs a sign-in or a step-up within the last ten minutes, or the password or a code. The addresses of " +
        "operators of the service cannot be changed.",
    })),
    ...serve(profile.changeEmail, saying(CHANGE_MAILED)),
  )
  .post(
    "/change-email/confirm",
    describeRoute(
      "confirmEmail",
      "Changes the address of the account, with the token that was mailed to the new one.",
      () => ({
        errors: ["INVALID_TOKEN", "EMAIL_TAKEN", "FORBIDDEN"],
        description:
          "Needs a session of the account: a stranger who follows the link changes nothing. Sessions stay; links " +
          "that were mailed before end. For 72 hours nobody else can have the former address.",
      }),
    ),
    ...serve(profile.confirmEmail, saying(CHANGED)),
  );

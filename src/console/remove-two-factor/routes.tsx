/** `/console/remove-two-factor`: the target of the link that removes a lost second factor. It needs no session. */
import { type Context, Hono } from "hono";
import { factorRemoval } from "../../identity/recovery/schemas";
import { checkRemoval, removeLostFactor } from "../../identity/recovery/two-factor-removal";
import type { AppEnv } from "../../platform/http/env";
import { originOf } from "../../platform/http/origin";
import { limit } from "../../platform/http/rate-limit";
import { type Failure, parse } from "../failure";
import { readForm } from "../http/form";
import { page, rerenderOnError } from "../http/page";
import { RemoveTwoFactor, TwoFactorRemoved } from "./page";

const OPTIONS = { title: "Remove the lost second factor", section: null };

const removalPage = (c: Context<AppEnv>, view: { token: string; isValid: boolean; failure?: Failure }, status = 200) =>
  page(c, { ...OPTIONS, status }, <RemoveTwoFactor {...view} />);

export const removeTwoFactorPages = new Hono<AppEnv>()
  .get("/", limit("verifyEmail", "IP address"), async (c) => {
    const token = c.req.query("token") ?? "";
    return rerenderOnError(
      c,
      async () => {
        await checkRemoval(c.get("deps"), parse(factorRemoval, { token }).token);
        return removalPage(c, { token, isValid: true });
      },
      (failure, status) => removalPage(c, { token, isValid: false, failure }, status),
    );
  })
  .post("/", limit("verifyEmail", "IP address"), async (c) => {
    const token = (await readForm(c)).text("token");
    return rerenderOnError(
      c,
      async () => {
        await removeLostFactor(c.get("deps"), parse(factorRemoval, { token }).token, originOf(c));
        return page(c, OPTIONS, <TwoFactorRemoved />);
      },
      (failure, status) => removalPage(c, { token, isValid: false, failure }, status),
    );
  });

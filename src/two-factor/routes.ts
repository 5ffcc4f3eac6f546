/** `/auth/2fa`: a person's second factor; one rate-limit bucket for all of it. */
import { Hono } from "hono";
import { z } from "zod";
import type { AppEnv } from "../http/env";
import { sessionOnly } from "../http/principal";
import { byUser, limit } from "../http/rate-limit";
import { opaqueToken } from "../http/schemas";
import { body } from "../http/validate";
import { confirmEnrolment, disableTwoFactor, renewRecoveryCodes, startEnrolment } from "./enrolment";

const codeBody = z.object({ token: opaqueToken });
const limited = limit("twoFactor", byUser);

export const twoFactorRoutes = new Hono<AppEnv>()
  .post("/enable", sessionOnly, limited, async (c) => {
    return c.json({ data: await startEnrolment(c.get("deps"), c.get("principal").userId) });
  })
  .post("/verify", sessionOnly, limited, body(codeBody), async (c) => {
    await confirmEnrolment(c.get("deps"), c.get("principal").userId, c.req.valid("json").token);
    return c.json({ message: "2FA enabled successfully." });
  })
  .post("/disable", sessionOnly, limited, body(codeBody), async (c) => {
    await disableTwoFactor(c.get("deps"), c.get("principal").userId, c.req.valid("json").token);
    return c.json({ message: "2FA disabled successfully." });
  })
  .post("/recovery-codes", sessionOnly, limited, body(codeBody), async (c) => {
    const recoveryCodes = await renewRecoveryCodes(c.get("deps"), c.get("principal").userId, c.req.valid("json").token);
    return c.json({ data: { recoveryCodes } });
  });

/** `/auth`: verification, reset and change of the password. */
import { Hono } from "hono";
import { z } from "zod";
import type { AppEnv } from "../http/env";
import { sessionOnly } from "../http/principal";
import { byIp, byUser, limit } from "../http/rate-limit";
import { email, givenPassword, newPassword, opaqueToken } from "../http/schemas";
import { body } from "../http/validate";
import { changePassword, forgotPassword, resendVerification, resetPassword, verifyEmail } from "./recovery";

const RESET_QUEUED = "If an account exists for that email, a reset link has been sent.";
const tokenBody = z.object({ token: opaqueToken });
const emailBody = z.object({ email });
const resetBody = z.object({ token: opaqueToken, newPassword });
const changeBody = z.object({ currentPassword: givenPassword, newPassword });

export const publicRecoveryRoutes = new Hono<AppEnv>()
  .post("/verify-email", body(tokenBody), async (c) => {
    return c.json({ message: await verifyEmail(c.get("deps"), c.req.valid("json").token) });
  })
  .post("/forgot-password", limit("forgotPassword", byIp), body(emailBody), async (c) => {
    await forgotPassword(c.get("deps"), c.req.valid("json").email);
    return c.json({ message: RESET_QUEUED });
  })
  .post("/reset-password", limit("resetPassword", byIp), body(resetBody), async (c) => {
    const { token, newPassword: password } = c.req.valid("json");
    await resetPassword(c.get("deps"), token, password);
    return c.json({ message: "Password reset successfully." });
  });

export const passwordRoutes = new Hono<AppEnv>()
  .post("/resend-verification", sessionOnly, limit("resendVerification", byUser), async (c) => {
    return c.json({ message: await resendVerification(c.get("deps"), c.get("principal").userId) });
  })
  .post("/change-password", sessionOnly, body(changeBody), async (c) => {
    const { userId, sessionId } = c.get("principal");
    await changePassword(c.get("deps"), { userId, sessionId, ...c.req.valid("json") });
    return c.json({ message: "Password changed successfully." });
  });

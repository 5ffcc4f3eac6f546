/** Calls of any route of the API. */
import { call } from "./client";

export const OPEN = [
  "POST /auth/register",
  "POST /auth/register/passkey/options",
  "POST /auth/register/passkey",
  "POST /auth/login",
  "POST /auth/code",
  "POST /auth/code/verify",
  "POST /auth/passkeys/login/options",
  "POST /auth/passkeys/login",
  "POST /auth/refresh",
  "POST /auth/logout",
  "GET /auth/oauth/:provider",
  "GET /auth/oauth/:provider/callback",
  "POST /auth/oauth/exchange",
  "POST /auth/verify-email",
  "POST /auth/not-me",
  "POST /auth/2fa/remove",
  "POST /auth/forgot-password",
  "POST /auth/reset-password",
  "POST /in/:sourceId",
  "GET /listen/:id/socket",
];
export const MISSING = "0190a0a0-0000-7000-8000-000000000000";

export function send(route: string, options: { token?: string; body?: unknown; raw?: string; id?: string }) {
  const [method = "", path = ""] = route.split(" ");
  const { id = MISSING, raw, token } = options;
  const at = path.replace(/:\w+/, id).replaceAll(/:\w+/g, MISSING);
  if (raw !== undefined) return call(method, at, { token, raw, headers: { "content-type": "application/json" } });
  return call(method, at, { token, ...(method === "GET" ? {} : { body: options.body ?? {} }) });
}

/** Calls of any route of the API. */
import { call } from "./client";
import { REACH } from "./reach";

export const OPEN = (REACH.anybody ?? []).filter((route) => route !== "GET /openapi.json");
export const MISSING = "0190a0a0-0000-7000-8000-000000000000";

export function send(route: string, options: { token?: string; body?: unknown; raw?: string; id?: string }) {
  const [method = "", path = ""] = route.split(" ");
  const { id = MISSING, raw, token } = options;
  const at = path.replace(/:\w+/, id).replaceAll(/:\w+/g, MISSING);
  if (raw !== undefined) return call(method, at, { token, raw, headers: { "content-type": "application/json" } });
  return call(method, at, { token, ...(method === "GET" ? {} : { body: options.body ?? {} }) });
}

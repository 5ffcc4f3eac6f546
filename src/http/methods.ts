/** 405 with `Allow` for a path that other methods serve. */
import type { Context, Hono } from "hono";
import { AppError } from "../errors";
import type { AppEnv } from "./env";

/** The failure of a wrong method; null when no method serves the path. */
export function methodNotAllowed(app: Hono<AppEnv>, c: Context<AppEnv>): AppError | null {
  const allowed = new Set<string>();
  for (const route of app.routes) {
    if (route.method !== "ALL" && pattern(route.path).test(c.req.path)) allowed.add(route.method);
  }
  if (allowed.size === 0) return null;
  if (allowed.has("GET")) allowed.add("HEAD");
  return new AppError("METHOD_NOT_ALLOWED", { headers: { Allow: [...allowed].sort().join(", ") } });
}

function pattern(path: string): RegExp {
  const segments = path.split("/").map((segment) => (segment.startsWith(":") ? "[^/]+" : RegExp.escape(segment)));
  return new RegExp(`^${segments.join("/")}$`);
}

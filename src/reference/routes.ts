/** The documentation: the OpenAPI document, Swagger UI over it, and the pages under `/docs`. */
import { Hono } from "hono";
import type { AppEnv } from "../http/env";
import { assetRoutes } from "./assets";
import { REFERENCE_PATH } from "./markdown/catalogue";
import { markdownRoutes } from "./markdown/routes";
import { openApiRoutes } from "./openapi/routes";
import { PAGE, PAGE_CSP } from "./swagger-ui/page";

/** The documentation of `app`. Swagger UI comes before the Markdown pages: `/docs/:page` would match its path. */
export function referenceRoutes(app: Hono<AppEnv>) {
  return new Hono<AppEnv>()
    .route("/", openApiRoutes(app))
    .route("/", assetRoutes)
    .get(REFERENCE_PATH, (c) => c.html(PAGE, 200, { "Content-Security-Policy": PAGE_CSP }))
    .route("/", markdownRoutes(app));
}

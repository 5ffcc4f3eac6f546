/** The documentation: the OpenAPI document, Swagger UI over it, and the pages under `/docs`. */
import { Hono } from "hono";
import type { AppEnv } from "../platform/http/env";
import { assetRoutes } from "./assets";
import { REFERENCE_PATH } from "./markdown/catalogue";
import { markdownRoutes } from "./markdown/routes";
import { openApiRoutes } from "./openapi/routes";
import { SWAGGER_UI_CSP, SWAGGER_UI_PAGE } from "./swagger-ui";

/** The documentation of `app`. Swagger UI comes before the Markdown pages: `/docs/:page` would match its path. */
export function referenceRoutes(app: Hono<AppEnv>) {
  return new Hono<AppEnv>()
    .route("/", openApiRoutes(app))
    .route("/", assetRoutes)
    .get(REFERENCE_PATH, (c) => c.html(SWAGGER_UI_PAGE, 200, { "Content-Security-Policy": SWAGGER_UI_CSP }))
    .route("/", markdownRoutes(app));
}

/** The page at `/docs`: Swagger UI over our own document. Nothing in it is inline, so that its Content-Security-Policy can be strict. */

import { navigation } from "./pages/pages";
import { NAVIGATION_STYLE } from "./pages/style";

export const ASSET_PATH = "/docs/assets";

/** The files of `swagger-ui-dist` that the page loads; no other is handed out. */
export const ASSETS: ReadonlySet<string> = new Set(["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"]);

/** Our own host only. `data:` images are the arrows that Swagger UI's style sheet holds. */
export const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postern API</title>
<link rel="icon" href="${ASSET_PATH}/favicon-32x32.png">
<link rel="stylesheet" href="${ASSET_PATH}/swagger-ui.css">
<link rel="stylesheet" href="${ASSET_PATH}/page.css">
</head>
<body>
${navigation("")}
<div id="reference"></div>
<script src="${ASSET_PATH}/swagger-ui-bundle.js"></script>
<script src="${ASSET_PATH}/page.js"></script>
</body>
</html>
`;

/** Validation by a third party's host is off; a token that was typed in is forgotten with the page. */
export const PAGE_SCRIPT = `SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
});
`;

/** Links are for machines. On a phone what stands side by side stands one below the other, and long words break. */
export const PAGE_STYLE = `body { margin: 0; }
${NAVIGATION_STYLE}.swagger-ui { overflow-wrap: break-word; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui .info table { display: block; overflow-x: auto; width: auto; }
.swagger-ui .info table :is(td, th) { padding: 2px 10px 2px 0; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 10px; }
  .swagger-ui select { max-width: 100%; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex-basis: 100%; order: 1; padding: 5px 0; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-control { min-width: 0; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; }
  .swagger-ui .opblock-summary-description { flex-basis: 100%; }
  .swagger-ui .responses-table > tbody > tr > td:not(.response-col_links),
  .swagger-ui .parameters > tbody > tr > td { display: block; width: auto; max-width: none; padding: 5px 0; }
  .swagger-ui .responses-table > thead,
  .swagger-ui .parameters > thead { display: none; }
  .swagger-ui table.headers { display: block; overflow-x: auto; }
  .swagger-ui .model-box { display: block; overflow-x: auto; }
}
`;

/** The page at `/docs/reference`: Swagger UI over our own document. Nothing in it is inline, so its Content-Security-Policy can be strict. */
import { navigation, REFERENCE_PATH } from "../markdown/catalogue";
import { NAVIGATION_STYLE } from "../markdown/style";

/** Nothing is loaded from another host. Swagger UI's style sheet holds its icons as `data:` images. */
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
<title>API reference - Postern</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="stylesheet" href="/docs/assets/reference.css">
</head>
<body>
${navigation(REFERENCE_PATH)}
<div id="reference"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/reference.js"></script>
</body>
</html>
`;

/** Validation by a third-party host is off. Tokens that were typed in are not kept after the page closes. */
export const PAGE_SCRIPT = `SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
});
`;

/** Operations come soon: the introduction is short, and the list of servers, always one, is hidden. OpenAPI links are for machines. On a phone, columns stack. */
export const PAGE_STYLE = `body { margin: 0; }
${NAVIGATION_STYLE}.swagger-ui { overflow-wrap: break-word; }
.swagger-ui .response-col_links, .swagger-ui .servers-title, .swagger-ui .servers { display: none; }
.swagger-ui .info { margin: 10px 0; }
.swagger-ui .info p { margin: .5em 0; }
.swagger-ui .scheme-container { margin: 0; padding: 0; box-shadow: none; }
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

/**
 * The page at `/docs/reference`: Swagger UI over our own document. Nothing in it is inline, so its
 * Content-Security-Policy can be strict.
 */
import { navigation, REFERENCE_PATH } from "./markdown/catalogue";

/** Nothing is loaded from another host. Swagger UI's style sheet holds its icons as `data:` images. */
export const SWAGGER_UI_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const SWAGGER_UI_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference - Postern</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="stylesheet" href="/docs/assets/navigation.css">
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

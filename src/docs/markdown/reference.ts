/**
 * The page at `/docs/reference`: Swagger UI over our own document. Nothing in it is inline, so its
 * Content-Security-Policy can be strict.
 */
import { type AssetAddress, navigation, REFERENCE_PATH } from "./catalogue";

export const referenceHtml = (addressOf: AssetAddress): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference - Postern</title>
<link rel="icon" href="${addressOf("favicon-32x32.png")}">
<link rel="stylesheet" href="${addressOf("swagger-ui.css")}">
<link rel="stylesheet" href="${addressOf("navigation.css")}">
<link rel="stylesheet" href="${addressOf("reference.css")}">
</head>
<body>
${navigation(REFERENCE_PATH)}
<div id="reference"></div>
<script src="${addressOf("swagger-ui-bundle.js")}"></script>
<script src="${addressOf("reference.js")}"></script>
</body>
</html>
`;

/** @typedef {{ SwaggerUIBundle(options: object): void }} SwaggerUi set by swagger-ui-bundle.js */
const page = /** @type {typeof globalThis & SwaggerUi} */ (globalThis);

// Validation by a third-party host is off. Tokens that were typed in are not kept after the page closes.
page.SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
});

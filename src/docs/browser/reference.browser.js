/** @typedef {{ SwaggerUIBundle(options: object): void }} SwaggerUi set by swagger-ui-bundle.js */
const page = /** @type {typeof globalThis & SwaggerUi} */ (globalThis);

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

// Validation by a third-party host is off. Tokens that were typed in are not kept after the page closes. Groups start
// closed: Swagger UI renders a list of 150 rows or more only as far as it is scrolled into view, so the browser's
// search would not find the rest.
page.SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
});

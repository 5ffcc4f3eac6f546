/** The page at `/docs/reference`: Swagger UI over our own document. */
import type { DocsPage } from "./catalogue";
import { type Shell, shellHtml } from "./shell";

export const referenceHtml = (shell: Shell, page: DocsPage): string =>
  shellHtml(shell, {
    page,
    styles: ["swagger-ui.css", "reference.css"],
    scripts: ["swagger-ui-bundle.js", "reference.js"],
    main: '<div id="reference"></div>\n',
  });

/**
 * The documentation, and texts and lists that few isolates need, as files. This runs when the Worker is built, not in
 * the Worker: `npm run docs` writes the files into the folder that the Worker reads them from.
 */
import { app } from "./app";
import { requirePrincipal } from "./authenticate";
import { pathOfTexts } from "./base/texts/catalogue";
import { TRANSLATIONS } from "./base/texts/translations";
import type { AssetAddress } from "./docs/markdown/catalogue";
import { pageFiles } from "./docs/markdown/files";
import type { ApiDocument } from "./docs/markdown/reference";
import type { Highlighter } from "./docs/markdown/render";
import type { Facts, LimitedEndpoint } from "./docs/markdown/tables";
import { describedRoutes, openApiDocument } from "./docs/openapi/document";
import { ownErrors } from "./docs/openapi/own-errors";
import { COMMON_PASSWORDS_PATH } from "./identity/passwords/common";
import commonPasswords from "./identity/passwords/common.txt";

/** What the documentation is made of, besides the code of the service. */
export interface Sources {
  /** The Markdown of each page, by its name. */
  pages: Readonly<Record<string, string>>;
  /** The methods of the client. */
  methods: Facts["methods"];
  /** The tables of D1. */
  dataModel: Facts["dataModel"];
  addressOf: AssetAddress;
  highlighted: Highlighter;
}

/** The text of each file, by its path. */
export function documents({ pages, methods, dataModel, ...tools }: Sources): Record<string, string> {
  const text = JSON.stringify(openApiDocument(app));
  return {
    "openapi.json": text,
    ...translationFiles(),
    [COMMON_PASSWORDS_PATH]: commonPasswords,
    ...pageFiles(pages, { methods, dataModel, limited: limitedEndpoints() }, tools, JSON.parse(text) as ApiDocument),
  };
}

const translationFiles = () =>
  Object.fromEntries(
    (Object.keys(TRANSLATIONS) as (keyof typeof TRANSLATIONS)[]).map((locale) => [
      pathOfTexts(locale),
      JSON.stringify(TRANSLATIONS[locale]),
    ]),
  );

/** What postern/client is generated from. */
export const api = () => ({ document: openApiDocument(app), errors: ownErrors(app, requirePrincipal) });

function limitedEndpoints(): LimitedEndpoint[] {
  return describedRoutes(app).flatMap(({ method, path, docs }) =>
    docs.flatMap(({ limit }) => (limit ? [{ endpoint: `${method} ${path.replace("/api/v1", "")}`, ...limit }] : [])),
  );
}

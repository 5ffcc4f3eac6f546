/** The pages under `/docs`, in reading order. All are Markdown files of src/docs except the API reference. */
import auditLog from "../../docs/audit-log.md";
import changelog from "../../docs/changelog.md";
import client from "../../docs/client.md";
import clientSignIn from "../../docs/client-sign-in.md";
import clientTenants from "../../docs/client-tenants.md";
import clientWebhooks from "../../docs/client-webhooks.md";
import consolePage from "../../docs/console.md";
import decisions from "../../docs/decisions.md";
import errors from "../../docs/errors.md";
import glossary from "../../docs/glossary.md";
import start from "../../docs/index.md";
import limits from "../../docs/limits.md";
import metrics from "../../docs/metrics.md";
import operationalEvents from "../../docs/operational-events.md";
import operations from "../../docs/operations.md";
import passkeys from "../../docs/passkeys.md";
import performance from "../../docs/performance.md";
import quickStart from "../../docs/quick-start.md";
import retries from "../../docs/retries.md";
import rotateASecret from "../../docs/rotate-a-secret.md";
import signInProviders from "../../docs/sign-in-providers.md";
import threatModel from "../../docs/threat-model.md";
import tokens from "../../docs/tokens.md";
import verify from "../../docs/verify.md";

/** `markdown` is null for the API reference, which Swagger UI renders. */
interface Page {
  path: string;
  title: string;
  markdown: string | null;
}

export const START_PATH = "/docs";
export const REFERENCE_PATH = "/docs/reference";

const PAGES: readonly Page[] = [
  page(START_PATH, start),
  page("/docs/quick-start", quickStart),
  page("/docs/console", consolePage),
  page("/docs/verify", verify),
  page("/docs/rotate-a-secret", rotateASecret),
  page("/docs/retries", retries),
  page("/docs/operational-events", operationalEvents),
  page("/docs/audit-log", auditLog),
  page("/docs/tokens", tokens),
  page("/docs/passkeys", passkeys),
  page("/docs/sign-in-providers", signInProviders),
  page("/docs/client", client),
  page("/docs/client-sign-in", clientSignIn),
  page("/docs/client-tenants", clientTenants),
  page("/docs/client-webhooks", clientWebhooks),
  { path: REFERENCE_PATH, title: "API reference", markdown: null },
  page("/docs/errors", errors),
  page("/docs/limits", limits),
  page("/docs/operations", operations),
  page("/docs/metrics", metrics),
  page("/docs/threat-model", threatModel),
  page("/docs/decisions", decisions),
  page("/docs/performance", performance),
  page("/docs/glossary", glossary),
  page("/docs/changelog", changelog),
];

function page(path: string, markdown: string): Page {
  return { path, markdown, title: markdown.match(/^# (.+)$/m)?.[1] ?? path };
}

/** Title and Markdown of the page at `path`; undefined when there is none. */
export function markdownPage(path: string): { title: string; markdown: string } | undefined {
  const found = PAGES.find((candidate) => candidate.path === path);
  return found && found.markdown !== null ? { title: found.title, markdown: found.markdown } : undefined;
}

/** The links at the top of every page, as HTML; the one to `currentPath` is marked. */
export function navigation(currentPath: string): string {
  const links = PAGES.map(({ path, title }) => {
    const mark = path === currentPath ? ' aria-current="page"' : "";
    return `<a href="${path}"${mark}>${title}</a>`;
  });
  return `<nav class="pages" aria-label="Documentation">\n${links.join("\n")}\n</nav>`;
}

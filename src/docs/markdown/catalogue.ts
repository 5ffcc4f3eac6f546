/** The pages under `/docs`, in reading order. All are Markdown files of src/docs except the API reference. */
import auditLog from "../pages/audit-log.md";
import changelog from "../pages/changelog.md";
import cli from "../pages/cli.md";
import client from "../pages/client.md";
import clientApiKeys from "../pages/client-api-keys.md";
import clientAudit from "../pages/client-audit.md";
import clientAuth from "../pages/client-auth.md";
import clientEvents from "../pages/client-events.md";
import clientIdentities from "../pages/client-identities.md";
import clientInvitations from "../pages/client-invitations.md";
import clientMembers from "../pages/client-members.md";
import clientOperator from "../pages/client-operator.md";
import clientPasskeys from "../pages/client-passkeys.md";
import clientPlatform from "../pages/client-platform.md";
import clientSessions from "../pages/client-sessions.md";
import clientStats from "../pages/client-stats.md";
import clientTenants from "../pages/client-tenants.md";
import clientTwoFactor from "../pages/client-two-factor.md";
import clientWebhooks from "../pages/client-webhooks.md";
import consolePage from "../pages/console.md";
import decisions from "../pages/decisions.md";
import errors from "../pages/errors.md";
import eventTypes from "../pages/event-types.md";
import glossary from "../pages/glossary.md";
import start from "../pages/index.md";
import limits from "../pages/limits.md";
import metrics from "../pages/metrics.md";
import operationalEvents from "../pages/operational-events.md";
import operations from "../pages/operations.md";
import order from "../pages/order.md";
import passkeys from "../pages/passkeys.md";
import performance from "../pages/performance.md";
import platformApi from "../pages/platform-api.md";
import quickStart from "../pages/quick-start.md";
import receive from "../pages/receive.md";
import retries from "../pages/retries.md";
import rotateASecret from "../pages/rotate-a-secret.md";
import signInProviders from "../pages/sign-in-providers.md";
import threatModel from "../pages/threat-model.md";
import tokens from "../pages/tokens.md";
import verify from "../pages/verify.md";
import verifyTokens from "../pages/verify-tokens.md";

export interface Page {
  path: string;
  title: string;
  markdown: string;
}

/** `markdown` is null for the API reference, which Swagger UI renders. */
type Entry = Omit<Page, "markdown"> & { markdown: string | null };

/** The address of a file that pages load. It changes with the file. */
export type AssetAddress = (name: string) => string;

export const START_PATH = "/docs";
export const REFERENCE_PATH = "/docs/reference";
const CLIENT_PATH = "/docs/client";

const PAGES: readonly Entry[] = [
  page(START_PATH, start),
  page("/docs/quick-start", quickStart),
  page("/docs/console", consolePage),
  page("/docs/event-types", eventTypes),
  page("/docs/verify", verify),
  page("/docs/receive", receive),
  page("/docs/order", order),
  page("/docs/rotate-a-secret", rotateASecret),
  page("/docs/retries", retries),
  page("/docs/operational-events", operationalEvents),
  page("/docs/audit-log", auditLog),
  page("/docs/tokens", tokens),
  page("/docs/verify-tokens", verifyTokens),
  page("/docs/platform-api", platformApi),
  page("/docs/passkeys", passkeys),
  page("/docs/sign-in-providers", signInProviders),
  page("/docs/cli", cli),
  page(CLIENT_PATH, client),
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

/** The pages by what the reader is doing. Each page is in one group. */
const GROUPS: readonly (readonly [title: string, paths: readonly string[]])[] = [
  ["Start", [START_PATH, "/docs/quick-start", "/docs/console"]],
  [
    "Webhooks",
    ["/docs/verify", "/docs/rotate-a-secret", "/docs/retries", "/docs/operational-events", "/docs/audit-log"],
  ],
  ["Sign-in", ["/docs/tokens", "/docs/verify-tokens", "/docs/passkeys", "/docs/sign-in-providers"]],
  ["API", [CLIENT_PATH, REFERENCE_PATH, "/docs/platform-api", "/docs/errors", "/docs/limits"]],
  ["Run it", ["/docs/operations", "/docs/metrics", "/docs/threat-model", "/docs/performance"]],
];
const GROUPED = new Set(GROUPS.flatMap(([, paths]) => paths));

/** One page for each noun of the client. */
const CLIENT_PAGES: readonly Page[] = [
  page("/docs/client-auth", clientAuth),
  page("/docs/client-sessions", clientSessions),
  page("/docs/client-two-factor", clientTwoFactor),
  page("/docs/client-passkeys", clientPasskeys),
  page("/docs/client-identities", clientIdentities),
  page("/docs/client-tenants", clientTenants),
  page("/docs/client-members", clientMembers),
  page("/docs/client-invitations", clientInvitations),
  page("/docs/client-api-keys", clientApiKeys),
  page("/docs/client-audit", clientAudit),
  page("/docs/client-webhooks", clientWebhooks),
  page("/docs/client-events", clientEvents),
  page("/docs/client-stats", clientStats),
  page("/docs/client-operator", clientOperator),
  page("/docs/client-platform", clientPlatform),
];

function page(path: string, markdown: string): Page {
  return { path, markdown, title: markdown.match(/^# (.+)$/m)?.[1] ?? path };
}

/** Every page but the API reference. */
export const allPages = (): Page[] =>
  [...PAGES, ...CLIENT_PAGES].filter((entry): entry is Page => entry.markdown !== null);

/** A list of all pages as Markdown, for programs that read the documentation (llmstxt.org). */
export function pageList(): string {
  const line = ({ path, title }: Page) => `- [${title}](${path === START_PATH ? "/docs/index" : path}.md)`;
  const pages = allPages().map(line).join("\n");
  return `# Postern\n\n> Sign-in and webhooks for products with many tenants.\n\n## Pages\n\n${pages}\n`;
}

/**
 * The links at the top of every page, as HTML; the one to `currentPath` is marked. Those of the client are on its own
 * pages only.
 */
export function navigation(currentPath: string): string {
  const link = ({ path, title }: Entry) =>
    `<a href="${path}"${path === currentPath ? ' aria-current="page"' : ""}>${title.replace("Client: ", "")}</a>`;
  const ofClient = currentPath.startsWith(CLIENT_PATH) ? ["<div>Client:", ...CLIENT_PAGES.map(link), "</div>"] : [];
  const rest = PAGES.filter(({ path }) => !GROUPED.has(path)).map(({ path }) => path);
  const groups = [...GROUPS, ["About", rest] as const].map(([title, paths]) => {
    const pages = PAGES.filter(({ path }) => paths.includes(path));
    return [`<div><strong>${title}</strong>`, ...pages.map(link), "</div>"].join("\n");
  });
  const links = ['<a href="/console">Console</a>', ...groups, ...ofClient];
  return `<nav class="pages" aria-label="Documentation">\n${links.join("\n")}\n</nav>`;
}

/** The order of the pages under `/docs`, and the links to them. A page has the name of its file in src/docs/pages. */

export interface DocsPage {
  name: string;
  path: string;
  title: string;
  /** Null for the API reference, which is made from the OpenAPI document. */
  markdown: string | null;
}

/** The address of a file that pages load. It changes with the file, or with `content` for a text that is made. */
export type AssetAddress = (name: string, content?: string) => string;

export const START = "index";
export const REFERENCE = "reference";
const REFERENCE_TITLE = "API reference";

/** The pages by what the reader is doing. */
const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ["Start", [START, "quick-start", "add-to-your-product", "console"]],
  [
    "Webhooks",
    [
      "event-types",
      "filters",
      "verify",
      "receive",
      "order",
      "inbound",
      "feeds",
      "listen",
      "rotate-a-secret",
      "retries",
      "operational-events",
      "audit-log",
    ],
  ],
  ["Sign-in", ["tokens", "verify-tokens", "passkeys", "sign-in-providers"]],
  ["API", [REFERENCE, "client", "cli", "platform-api", "portal", "moving-in", "move-from", "errors", "limits"]],
  ["Run it", ["production", "operations", "metrics", "threat-model", "performance"]],
  ["About", ["decisions", "glossary", "changelog"]],
];

/** Pages that are listed while their page or one of them is open. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  client: [
    "client-auth",
    "client-sessions",
    "client-two-factor",
    "client-passkeys",
    "client-identities",
    "client-tenants",
    "client-members",
    "client-invitations",
    "client-api-keys",
    "client-audit",
    "client-webhooks",
    "client-events",
    "client-event-types",
    "client-sources",
    "client-feeds",
    "client-listen",
    "client-stats",
    "client-operator",
    "client-platform",
    "client-portal",
  ],
  operations: [
    "runbook-down",
    "runbook-late-deliveries",
    "runbook-late-lanes",
    "runbook-dead-letters",
    "runbook-database-full",
    "runbook-mail",
    "runbook-legacy-login",
    "runbook-missing-key",
    "runbook-setting",
    "runbook-attempts-fail",
    "runbook-restore",
    "runbook-lost-factor",
    "runbook-account-taken",
    "runbook-leaked-keys",
    "runbook-leaked-api-key",
    "runbook-abuse",
  ],
};

export const pathOf = (name: string): string => (name === START ? "/docs" : `/docs/${name}`);

/**
 * The pages in reading order. `texts` is the Markdown of each page by its name. Throws if a text is not in the order
 * or is missing.
 */
export function pagesOf(texts: Readonly<Record<string, string>>): DocsPage[] {
  const names = GROUPS.flatMap(([, group]) => group.flatMap((name) => [name, ...(BELOW[name] ?? [])]));
  const unlisted = Object.keys(texts).filter((name) => !names.includes(name));
  if (unlisted.length > 0) throw new Error(`not in the order of the pages: ${unlisted.join(", ")}`);
  return names.map((name) => {
    if (name === REFERENCE) return { name, path: pathOf(name), title: REFERENCE_TITLE, markdown: null };
    const [, title] = texts[name]?.match(/^# (.+)$/m) ?? [];
    if (title === undefined) throw new Error(`the page ${name} is missing or has no title`);
    return { name, path: pathOf(name), title, markdown: texts[name] ?? "" };
  });
}

/** The links beside every page, as HTML. The one to the page `current` is marked. */
export function navigation(pages: readonly DocsPage[], current: string): string {
  const list = (names: readonly string[]): string => `<ul>\n${names.map(item).join("\n")}\n</ul>`;
  const item = (name: string): string => {
    const { path, title } = pages.find((page) => page.name === name) ?? { path: "", title: "" };
    const below = BELOW[name] ?? [];
    const mark = name === current ? ' aria-current="page"' : "";
    const isOpen = name === current || below.includes(current);
    // In its list, a page needs no "Client: " in front.
    const text = title.replace(/^.+: (.)/, (_, letter: string) => letter.toUpperCase());
    return `<li><a href="${path}"${mark}>${text}</a>${isOpen && below.length > 0 ? list(below) : ""}</li>`;
  };
  const groups = GROUPS.map(([title, names]) => `<p>${title}</p>\n${list(names)}`);
  return `<nav class="pages" id="pages" popover aria-label="Documentation">\n${groups.join("\n")}\n</nav>`;
}

/** A list of all pages as Markdown, for programs that read the documentation (llmstxt.org). */
export function pageList(pages: readonly DocsPage[]): string {
  const readable = pages.filter(({ markdown }) => markdown !== null);
  const lines = readable.map(({ name, title }) => `- [${title}](/docs/${name}.md)`).join("\n");
  return `# Postern\n\n> Sign-in and webhooks for products with many tenants.\n\n## Pages\n\n${lines}\n`;
}

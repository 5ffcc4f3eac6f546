/** The order of the pages under `/docs`, and the links to them. */

export interface DocsPage {
  /** Its file in src/docs/pages without the extension, such as `retries` or `client/auth`. */
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
    "Users sign in",
    [
      "web-session",
      "sign-in-for-apps",
      "mcp",
      "sign-in-providers",
      "sign-on",
      "passkeys",
      "languages",
      "tokens",
      "verify-tokens",
    ],
  ],
  ["Customers", ["roles", "platform-api", "portal", "audit-log"]],
  ["Send webhooks", ["event-types", "filters", "order", "retries", "rotate-a-secret", "operational-events"]],
  ["Receive events", ["verify", "receive", "listen", "feeds", "inbound"]],
  ["Move from another service", ["move-from", "moving-in"]],
  ["Call the API", [REFERENCE, "client", "python", "cli", "errors", "limits"]],
  ["Run it", ["production", "operations", "metrics", "threat-model", "performance"]],
  ["Look up", ["glossary", "decisions", "changelog"]],
  ["Change it", ["change-the-code", "data-model"]],
];

const inFolder = (folder: string, files: readonly string[]) => files.map((file) => `${folder}/${file}`);

/** Pages that are listed while their page or one of them is open. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  "sign-on": ["sign-on-okta", "sign-on-entra", "sign-on-google", "sign-on-keycloak", "sign-on-saml"],
  client: inFolder("client", [
    "auth",
    "sessions",
    "two-factor",
    "passkeys",
    "identities",
    "apps",
    "tenants",
    "clients",
    "resources",
    "connections",
    "domains",
    "setup-links",
    "members",
    "invitations",
    "api-keys",
    "audit",
    "webhooks",
    "events",
    "event-types",
    "sources",
    "feeds",
    "listen",
    "stats",
    "operator",
    "platform",
    "portal",
  ]),
  operations: inFolder("runbooks", [
    "down",
    "late-deliveries",
    "late-lanes",
    "dead-letters",
    "database-full",
    "mail",
    "legacy-login",
    "missing-key",
    "setting",
    "attempts-fail",
    "restore",
    "lost-factor",
    "identity-provider-down",
    "identity-provider-certificate",
    "account-taken",
    "leaked-keys",
    "leaked-api-key",
    "leaked-scim-token",
    "silent-directory",
    "mass-deactivation",
    "abuse",
  ]),
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

/** The layout of every page: navigation, the signed-in user and the flash message. */
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Brand } from "../../base/brand";
import { CONSOLE_PATH } from "../../base/paths";
import type { CurrentUser } from "../../base/schemas/principal";
import type { Permission } from "../../base/schemas/roles";
import { ICON_PATH, SCRIPT_PATH, stylePath } from "../assets";
import { PostForm, SubmitButton } from "../components/buttons";
import { Banner, Moment } from "../components/display";
import { A, Say, useTexts } from "../components/mount";
import { scriptTexts } from "../components/script-texts";

const NAV_SECTIONS = [
  { name: "overview", group: "", title: "Overview", path: "", permission: null },
  { name: "subscriptions", group: "Send", title: "Subscriptions", path: "/webhooks", permission: "webhook.read" },
  { name: "events", group: "Send", title: "Events", path: "/events", permission: "webhook.read" },
  { name: "eventTypes", group: "Send", title: "Event types", path: "/event-types", permission: "webhook.read" },
  { name: "feeds", group: "Send", title: "Feeds", path: "/feeds", permission: "webhook.read" },
  { name: "sources", group: "Receive", title: "Sources", path: "/sources", permission: "webhook.read" },
  { name: "listeners", group: "Receive", title: "Listeners", path: "/listeners", permission: "webhook.create" },
  { name: "keys", group: "Access", title: "API keys", path: "/api-keys", permission: null },
  { name: "portals", group: "Access", title: "Portal links", path: "/portal-links", permission: "member.manage" },
  { name: "people", group: "Access", title: "People", path: "/people", permission: "member.read" },
  { name: "activity", group: "Access", title: "Activity", path: "/activity", permission: "audit.read" },
  { name: "security", group: "Settings", title: "My security", path: "/security", permission: null },
  { name: "operator", group: "Settings", title: "Operator", path: "/operator", permission: "operator" },
] as const satisfies readonly {
  name: string;
  /** The heading in the menu; empty: none. */
  group: string;
  title: string;
  path: string;
  permission: Permission | "operator" | null;
}[];

export type NavSection = (typeof NAV_SECTIONS)[number]["name"];

type LayoutProps = PropsWithChildren<{
  title: Child;
  section: NavSection | null;
  nonce: string;
  brand: Brand;
  /** The registered app that has sent the person; undefined without one. */
  app: { name: string; logoUrl: string | null } | undefined;
  currentUser: CurrentUser | undefined;
  /** Whether the current user is named as an operator of the service. */
  isOperator: boolean;
  flash: string | undefined;
}>;

export function Layout({ title, section, nonce, brand, app, currentUser, isOperator, flash, children }: LayoutProps) {
  return (
    <html lang={useTexts().locale}>
      <Head title={title} nonce={nonce} brand={brand} />
      <body class={currentUser ? "inside" : "outside"} data-texts={scriptTexts(useTexts())}>
        <a class="skip" href="#main">
          <Say of="page.skip" />
        </a>
        <header class="bar">
          <A class="brand" to="">
            <BrandMark brand={brand} />
          </A>
          {app && (
            <span class="app break">
              {app.logoUrl !== null && <img class="brand-logo" src={app.logoUrl} alt="" />} {app.name}
            </span>
          )}
          {currentUser && (
            <details class="menu">
              <summary>Menu</summary>
              <Navigation currentUser={currentUser} isOperator={isOperator} section={section} />
              <Account currentUser={currentUser} />
            </details>
          )}
        </header>
        <main id="main">
          {flash && <Banner kind="ok">{flash}</Banner>}
          {currentUser && currentUser.principal.secondFactorDueAt !== null && (
            <FactorReminder tenantName={currentUser.tenantName} dueAt={currentUser.principal.secondFactorDueAt} />
          )}
          {currentUser && !currentUser.emailVerified && <VerifyReminder email={currentUser.email} />}
          {currentUser?.lacksRecoveryCodes && section !== "security" && <CodesReminder />}
          {children}
        </main>
      </body>
    </html>
  );
}

/** `nonce` is null on a page without scripts, whose policy admits the files of the console. */
type HeadProps = PropsWithChildren<Pick<LayoutProps, "title" | "brand"> & { nonce: string | null }>;

export const Head = ({ title, nonce, brand, children }: HeadProps) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <title>
      {title} · {brand.name}
    </title>
    <link rel="icon" href={ICON_PATH} type="image/svg+xml" />
    <link rel="stylesheet" href={stylePath(brand.color)} nonce={nonce ?? undefined} />
    {children}
    {nonce !== null && <script src={SCRIPT_PATH} nonce={nonce} type="module" />}
  </head>
);

/** The logo, or a small gate and the name. */
export const BrandMark = ({ brand }: { brand: Brand }) =>
  brand.logoUrl === null ? (
    <>
      <Logo /> {brand.name}
    </>
  ) : (
    <img class="brand-logo" src={brand.logoUrl} alt={brand.name} />
  );

/** A small gate. */
const Logo = () => (
  <svg class="logo" viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
    <path d="M2 15V7a6 6 0 0 1 12 0v8h-3V7.5a3 3 0 0 0-6 0V15z" />
  </svg>
);

interface NavigationProps {
  currentUser: CurrentUser;
  isOperator: boolean;
  section: NavSection | null;
}

function Navigation({ currentUser, isOperator, section }: NavigationProps) {
  const { permissions } = currentUser.principal;
  const isOffered = ({ permission }: (typeof NAV_SECTIONS)[number]) => {
    if (permission === "operator") return isOperator;
    return permission === null || permissions.has(permission);
  };
  return (
    <nav aria-label="Console">
      {[...Map.groupBy(NAV_SECTIONS.filter(isOffered), ({ group }) => group)].map(([group, sections]) => (
        <>
          {group !== "" && <p class="nav-group">{group}</p>}
          <ul>
            {sections.map(({ name, title, path }) => (
              <li>
                <A to={path} aria-current={name === section ? "page" : undefined}>
                  {title}
                </A>
              </li>
            ))}
          </ul>
        </>
      ))}
    </nav>
  );
}

const Account = ({ currentUser }: { currentUser: CurrentUser }) => (
  <div class="account">
    <div>
      {currentUser.tenants.length > 1 ? <TenantSwitcher currentUser={currentUser} /> : null}
      <p>
        <A to="/tenants">
          <strong>{currentUser.tenantName}</strong>
        </A>
        <span class="muted">{currentUser.email}</span>
        <span class="muted">{currentUser.principal.role}</span>
      </p>
    </div>
    <PostForm action="/sign-out">
      <SubmitButton kind="quiet">Sign out</SubmitButton>
    </PostForm>
    <div class="keys-hint small muted" data-scripted hidden>
      <kbd>?</kbd> shows the keys
    </div>
  </div>
);

const TenantSwitcher = ({ currentUser }: { currentUser: CurrentUser }) => (
  <PostForm action="/tenants/switch" class="inline">
    <select name="tenantId" aria-label="Tenant">
      {currentUser.tenants.map(({ id, name }) => (
        <option value={id} selected={id === currentUser.principal.tenantId}>
          {name}
        </option>
      ))}
    </select>
    <SubmitButton kind="quiet">Switch</SubmitButton>
  </PostForm>
);

const CodesReminder = () => (
  <Banner kind="warn">
    You have no recovery codes. If you lose your phone, you lose your account.{" "}
    <A to="/security#two-factor">Create recovery codes</A>
  </Banner>
);

const FactorReminder = ({ tenantName, dueAt }: { tenantName: string; dueAt: number }) => (
  <Banner kind="note">
    <strong>{tenantName}</strong> lets you in from <Moment at={dueAt} /> only with a second factor. Turn on two-factor
    authentication under <A to="/security">My security</A>, or add a passkey. If you have a passkey,{" "}
    <A to={`/security/confirm?to=${CONSOLE_PATH}`}>confirm with it</A>.
  </Banner>
);

const VerifyReminder = ({ email }: { email: string }) => (
  <Banner kind="note">
    <PostForm action="/resend-verification" class="inline">
      <span>
        Verify <strong>{email}</strong> with the link that we emailed to you. You need it for your next sign-in.
      </span>
      <SubmitButton kind="quiet">Send it again</SubmitButton>
    </PostForm>
  </Banner>
);

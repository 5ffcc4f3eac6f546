/** The layout of the pages of portals and setup links: the customer's look, pages to choose from, and the way back. */
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Brand } from "../../base/brand";
import type { SetupTask } from "../../base/schemas/portal-schemas";
import type { Portal } from "../../base/schemas/principal";
import { Banner } from "../components/display";
import { A, Say, useTexts } from "../components/mount";
import { scriptTexts } from "../components/script-texts";
import { BrandMark, Head, type NavSection } from "./layout";
import { themeStyle } from "./theme";

type PortalLayoutProps = PropsWithChildren<{
  title: Child;
  /** Those of the menu. */
  pages: readonly GuestPage[];
  nonce: string;
  brand: Brand;
  /** Undefined while nobody has opened a link. */
  portal: Portal | undefined;
  flash: string | undefined;
}>;

interface GuestPage {
  title: Child;
  /** Below the mount. */
  path: string;
  isHere: boolean;
}

export function PortalLayout({ title, pages, nonce, brand, portal, flash, children }: PortalLayoutProps) {
  const theme = portal?.theme ?? {};
  const shown = { ...brand, name: theme.title ?? brand.name, logoUrl: theme.logoUrl ?? brand.logoUrl };
  return (
    <html lang={useTexts().locale}>
      <Head title={title} nonce={nonce} brand={shown}>
        {(theme.colors || theme.scheme) && <style nonce={nonce}>{themeStyle(theme)}</style>}
      </Head>
      <body class={portal ? "inside" : "outside"} data-texts={scriptTexts(useTexts())}>
        <a class="skip" href="#main">
          <Say of="page.skip" />
        </a>
        <header class="bar">
          {portal ? (
            <A class="brand" to={pages[0]?.path ?? ""}>
              <BrandMark brand={shown} />
            </A>
          ) : (
            <span class="brand">
              <BrandMark brand={shown} />
            </span>
          )}
          {portal && (
            <details class="menu">
              <summary>
                <Say of="portal.menu" />
              </summary>
              <Navigation pages={pages} />
              <Whereabouts portal={portal} />
            </details>
          )}
        </header>
        <main id="main">
          {flash && <Banner kind="ok">{flash}</Banner>}
          {children}
        </main>
      </body>
    </html>
  );
}

const SECTIONS = [
  { name: "subscriptions", title: "portal.subscriptions", path: "/webhooks" },
  { name: "events", title: "portal.events", path: "/events" },
  { name: "eventTypes", title: "portal.eventTypes", path: "/event-types" },
] as const;

/** The pages of a portal, of which `section` is shown. */
export const portalPages = (section: NavSection | null): GuestPage[] =>
  SECTIONS.map(({ name, title, path }) => ({ title: <Say of={title} />, path, isHere: name === section }));

const SETUP_PAGES = [
  { task: "connection", title: "Single sign-on", path: "/connections" },
  { task: "domains", title: "Domains", path: "/domains" },
  { task: "directory", title: "Directory", path: "/directories" },
] as const;

/** The pages of a link that `may` this, of which the one at `here` is shown. */
export const setupPages = (may: ReadonlySet<SetupTask>, here: string): GuestPage[] =>
  SETUP_PAGES.filter(({ task }) => may.has(task)).map(({ title, path }) => ({
    title,
    path,
    isHere: here.startsWith(path),
  }));

const Navigation = ({ pages }: { pages: readonly GuestPage[] }) => (
  <nav aria-label={useTexts().say("portal.pages")}>
    <ul>
      {pages.map(({ title, path, isHere }) => (
        <li>
          <A to={path} aria-current={isHere ? "page" : undefined}>
            {title}
          </A>
        </li>
      ))}
    </ul>
  </nav>
);

/** Out of the frame, if there is one. */
const Whereabouts = ({ portal: { tenantName, returnUrl } }: { portal: Portal }) => (
  <div class="account">
    <p>
      <strong>{tenantName}</strong>
      {returnUrl !== null && (
        <a href={returnUrl} target="_top">
          <Say of="portal.back" />
        </a>
      )}
    </p>
  </div>
);

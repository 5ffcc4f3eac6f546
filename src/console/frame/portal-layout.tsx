/** The layout of a portal's pages: the customer's look, three pages to choose from, and the way back. */
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Brand } from "../../base/brand";
import type { Portal } from "../../base/schemas/principal";
import { Banner } from "../components/display";
import { A, Say, useTexts } from "../components/mount";
import { scriptTexts } from "../components/script-texts";
import { BrandMark, Head, type NavSection } from "./layout";
import { themeStyle } from "./theme";

type PortalLayoutProps = PropsWithChildren<{
  title: Child;
  section: NavSection | null;
  nonce: string;
  brand: Brand;
  /** Undefined while nobody has opened a link. */
  portal: Portal | undefined;
  flash: string | undefined;
}>;

export function PortalLayout({ title, section, nonce, brand, portal, flash, children }: PortalLayoutProps) {
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
            <A class="brand" to="/webhooks">
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
              <Navigation section={section} />
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

const Navigation = ({ section }: { section: NavSection | null }) => (
  <nav aria-label={useTexts().say("portal.pages")}>
    <ul>
      {SECTIONS.map(({ name, title, path }) => (
        <li>
          <A to={path} aria-current={name === section ? "page" : undefined}>
            <Say of={title} />
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

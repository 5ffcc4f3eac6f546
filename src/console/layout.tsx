/** The frame of every page: who is signed in, where one can go, what was just done. */
import type { PropsWithChildren } from "hono/jsx";
import type { Visitor } from "../sessions/authenticate";
import type { Permission } from "../tenants/roles";
import { ICON_PATH, SCRIPT_PATH, STYLE_PATH } from "./assets";
import { Banner, PostForm, Submit } from "./parts";

const CHAPTERS = [
  { name: "overview", title: "Overview", path: "/console", needs: null },
  { name: "subscriptions", title: "Subscriptions", path: "/console/webhooks", needs: "webhook.read" },
  { name: "events", title: "Events", path: "/console/events", needs: "event.publish" },
  { name: "keys", title: "API keys", path: "/console/api-keys", needs: null },
  { name: "people", title: "People", path: "/console/people", needs: "member.read" },
  { name: "security", title: "My security", path: "/console/security", needs: null },
] as const satisfies readonly { name: string; title: string; path: string; needs: Permission | null }[];

export type Chapter = (typeof CHAPTERS)[number]["name"];

type LayoutProps = PropsWithChildren<{
  title: string;
  chapter: Chapter | null;
  nonce: string;
  visitor: Visitor | undefined;
  said: string | undefined;
}>;

export function Layout({ title, chapter, nonce, visitor, said, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · Postern`}</title>
        <link rel="icon" href={ICON_PATH} type="image/svg+xml" />
        <link rel="stylesheet" href={STYLE_PATH} nonce={nonce} />
        <script src={SCRIPT_PATH} nonce={nonce} type="module" />
      </head>
      <body class={visitor ? "inside" : "outside"}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="bar">
          <a class="brand" href="/console">
            <Mark /> Postern
          </a>
          {visitor && <Navigation visitor={visitor} chapter={chapter} />}
          {visitor && <Account visitor={visitor} />}
        </header>
        <main id="main">
          {said && <Banner kind="ok">{said}</Banner>}
          {visitor && !visitor.emailVerified && <VerifyReminder email={visitor.email} />}
          {children}
        </main>
      </body>
    </html>
  );
}

/** A small gate. */
const Mark = () => (
  <svg class="mark" viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
    <path d="M2 15V7a6 6 0 0 1 12 0v8h-3V7.5a3 3 0 0 0-6 0V15z" />
  </svg>
);

function Navigation({ visitor, chapter }: { visitor: Visitor; chapter: Chapter | null }) {
  const { permissions } = visitor.principal;
  return (
    <nav aria-label="Console">
      <ul>
        {CHAPTERS.filter(({ needs }) => needs === null || permissions.has(needs)).map(({ name, title, path }) => (
          <li>
            <a href={path} aria-current={name === chapter ? "page" : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const Account = ({ visitor }: { visitor: Visitor }) => (
  <div class="account">
    <p>
      <strong>{visitor.tenantName}</strong>
      <span class="muted">{visitor.email}</span>
      <span class="muted">{visitor.principal.role}</span>
    </p>
    <PostForm action="/console/sign-out">
      <Submit kind="quiet">Sign out</Submit>
    </PostForm>
  </div>
);

const VerifyReminder = ({ email }: { email: string }) => (
  <Banner kind="note">
    <PostForm action="/console/resend-verification" class="inline">
      <span>
        Confirm <strong>{email}</strong> with the link in our mail: your next sign-in needs it.
      </span>
      <Submit kind="quiet">Send it again</Submit>
    </PostForm>
  </Banner>
);

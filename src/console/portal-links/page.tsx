/** The page of portal links: the list, the form for a new one, and its URL, shown once. */
import type { PortalLinkRow } from "../../identity/portal/store";
import { ActionButton } from "../components/buttons";
import { Badge, Banner, Card, Copyable, Time } from "../components/display";
import { FailureBanner } from "../components/failure";
import { List } from "../components/list";
import { PortalLinkForm, type PortalLinkValues } from "./form";

interface PortalLinksProps {
  links: readonly PortalLinkRow[];
  values: PortalLinkValues;
  /** The URL of the new link. It is shown on this page only. */
  url?: string | undefined;
}

export const PortalLinks = ({ links, values, url }: PortalLinksProps) => (
  <>
    <h1>Portal links</h1>
    <p class="muted">
      A link shows one of your customer's people the subscriptions of this tenant, without an account. Your backend can
      make them too: <a href="/docs/portal">Portal</a>.
    </p>
    {url && (
      <Banner kind="ok">
        <p>Your new link works once. Copy it now: it will not be shown again.</p>
        <Copyable text={url} label="the link" />
      </Banner>
    )}
    <FailureBanner />
    <div class="columns">
      <Card id="active" title="Links and tokens that have not ended">
        <List of={links} row={(link) => <LinkRow link={link} />} empty="No portal links" />
      </Card>
      <Card id="new-link" title="New link">
        <PortalLinkForm values={values} />
      </Card>
    </div>
  </>
);

const LinkRow = ({ link: { id, kind, permissions, createdAt, expiresAt, openedAt } }: { link: PortalLinkRow }) => (
  <li>
    <div>
      <strong>{kind === "link" ? "Link" : "Token"}</strong> <code>{id}</code>
      <div class="small">
        {permissions.map((permission) => (
          <>
            <Badge tone="calm">{permission}</Badge>{" "}
          </>
        ))}
      </div>
      <div class="small muted">
        Made <Time at={createdAt} />, ends <Time at={expiresAt} />
        {openedAt !== null && (
          <>
            , opened <Time at={openedAt} />
          </>
        )}
      </div>
    </div>
    <ActionButton action={`/portal-links/${id}/revoke`} kind="danger" label={`Revoke ${id}`}>
      Revoke
    </ActionButton>
  </li>
);

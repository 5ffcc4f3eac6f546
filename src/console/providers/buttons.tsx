/** The buttons that lead to a provider. They are links, because our policy lets no form lead to another site. */

import { withQuery } from "../components/address";
import { LinkButton } from "../components/buttons";
import { Say, useHref, useIsForApps, useTexts } from "../components/mount";
import type { OfferedProvider } from "../http/offers";

interface ProviderButtonsProps {
  providers: readonly OfferedProvider[];
  /** Where to go after the sign-in; "" for the overview. */
  to: string;
  /** The token of the invitation that the sign-in accepts; "" for none. */
  invitationToken?: string;
}

export function ProviderButtons({ providers, to, invitationToken = "" }: ProviderButtonsProps) {
  const [href, isForApps] = [useHref(), useIsForApps()];
  const start = (name: string) =>
    isForApps
      ? href(withQuery(`/oauth/${name}`, { invitationToken }))
      : withQuery(`/api/v1/auth/oauth/${name}`, { to, invitationToken });
  if (providers.length === 0) return null;
  return (
    <section aria-label={useTexts().say("signIn.otherWays")} class="providers">
      {providers.map(({ name, label }) => (
        <LinkButton href={start(name)}>
          <Say of="signIn.provider" values={{ provider: label }} />
        </LinkButton>
      ))}
    </section>
  );
}

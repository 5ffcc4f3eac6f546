/** The buttons that lead to a provider. They are links, because our policy lets no form lead to another site. */

import { withQuery } from "../components/address";
import { LinkButton } from "../components/buttons";
import { Say, useTexts } from "../components/mount";
import type { OfferedProvider } from "./providers";

interface ProviderButtonsProps {
  providers: readonly OfferedProvider[];
  /** Where to go after the sign-in; "" for the overview. */
  to: string;
  /** The token of the invitation that the sign-in accepts; "" for none. */
  invitationToken?: string;
}

export const ProviderButtons = ({ providers, to, invitationToken = "" }: ProviderButtonsProps) =>
  providers.length === 0 ? null : (
    <section aria-label={useTexts().say("signIn.otherWays")} class="providers">
      {providers.map(({ name, label }) => (
        <LinkButton href={withQuery(`/api/v1/auth/oauth/${name}`, { to, invitationToken })}>
          <Say of="signIn.provider" values={{ provider: label }} />
        </LinkButton>
      ))}
    </section>
  );

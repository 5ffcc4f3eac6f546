/** The buttons that lead to a provider. They are links, because our policy lets no form lead to another site. */
import { LinkButton } from "../components/buttons";
import type { OfferedProvider } from "./providers";

interface ProviderButtonsProps {
  providers: readonly OfferedProvider[];
  /** Where to go after the sign-in; "" for the overview. */
  to: string;
  /** The token of the invitation that the sign-in accepts; "" for none. */
  invitationToken?: string;
}

function departure(name: string, fields: Record<string, string>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== "");
  return `/api/v1/auth/oauth/${name}${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`;
}

export const ProviderButtons = ({ providers, to, invitationToken = "" }: ProviderButtonsProps) =>
  providers.length === 0 ? null : (
    <section aria-label="Other ways to sign in" class="providers">
      {providers.map(({ name, label }) => (
        <LinkButton href={departure(name, { to, invitationToken })}>Continue with {label}</LinkButton>
      ))}
    </section>
  );

/** The links to what can be done with a registered app. */
import { LinkButton } from "../../components/buttons";

/** By the end of the page's path. */
const WAYS = [
  ["", "Change"],
  ["/secret", "New secret"],
  ["/secret/end", "End the former secret"],
  ["/revoke", "End sign-ins"],
  ["/delete", "Delete"],
] as const;

export const ClientWays = ({ here, id, name }: { here: string; id: string; name: string }) => (
  <>
    {WAYS.map(([way, label]) => (
      <LinkButton to={`${here}/registered/${id}${way}`} label={`${label}: ${name}`}>
        {label}
      </LinkButton>
    ))}
  </>
);
